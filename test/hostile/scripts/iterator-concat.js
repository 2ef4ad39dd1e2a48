// Iterators of iterators, one in the other.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
let nested = [1].values()
for (let i = 0; i < 1e5; i++) nested = nested.map(x => x)
exit(nested.next())
