// A result that is a thenable is not waited for.
// ends: exit
// result: [{"then":"text"},{}]
log('before')
exit([{ then: 'text' }, { then() {}, toJSON: () => ({}) }])
