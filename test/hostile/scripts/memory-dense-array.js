// An array of holes that turns dense.
// ends: MEMORY TIMEOUT CRASHED
log('before')
const array = []
array[1e8] = 1
array.fill(0)
