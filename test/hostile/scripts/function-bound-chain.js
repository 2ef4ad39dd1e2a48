// A function bound a hundred thousand times over.
// ends: exit RUNTIME TIMEOUT MEMORY CRASHED
// result: 1
log('before')
let bound = () => 1
for (let i = 0; i < 1e5; i++) bound = bound.bind(null)
exit(bound())
