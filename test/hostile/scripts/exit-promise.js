// A promise in a result, in place of the value that it would have.
// ends: RESULT
log('before')
exit([Promise.resolve('x')])
