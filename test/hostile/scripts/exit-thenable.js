// A result that is a promise, and one that is a thenable: neither is waited for.
// ends: exit
// result: [{},{"then":"text"}]
log('before')
exit([Promise.resolve('x'), { then: 'text' }])
