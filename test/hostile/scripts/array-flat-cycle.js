// Flattening an array that holds itself.
// ends: RUNTIME TIMEOUT MEMORY
log('before')
const round = []
round.push(round, round)
round.flat(Infinity)
