// A promise chain that feeds itself.
// ends: TIMEOUT
log('before')
const turn = () => Promise.resolve().then(turn)
await turn()
