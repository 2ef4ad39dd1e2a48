// Reversing a huge array of holes, in native code.
// ends: TIMEOUT MEMORY
log('before')
const holes = []
holes.length = 2 ** 32 - 1
holes.reverse()
