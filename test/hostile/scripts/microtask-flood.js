// A promise chain that feeds itself.
// ends: TIMEOUT MEMORY
log('before')
const turn = () => Promise.resolve().then(turn)
await turn()
