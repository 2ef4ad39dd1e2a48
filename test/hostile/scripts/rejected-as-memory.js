// A rejection that says what V8 says of memory: the run goes on.
// ends: exit
// result: "reached"
log('before')
Promise.reject(new RangeError('Isolate was disposed during execution due to memory limit'))
await graphql('{ __typename }')
exit('reached')
