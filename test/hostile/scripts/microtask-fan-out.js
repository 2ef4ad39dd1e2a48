// Promise chains that double at each turn.
// ends: TIMEOUT MEMORY
log('before')
const turn = () => {
  Promise.resolve().then(turn)
  Promise.resolve().then(turn)
}
turn()
await graphql('{ x }', {}, options.params.hanging)
