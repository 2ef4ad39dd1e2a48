// A rejection that says what V8 says of a timeout: the run goes on.
// ends: exit
// result: "reached"
log('before')
Promise.reject(new Error('Script execution timed out.'))
await graphql('{ __typename }')
exit('reached')
