// A map that grows in the loop over it.
// ends: TIMEOUT MEMORY
log('before')
const grows = new Map([[0, 0]])
for (const [key] of grows) {
  grows.delete(key)
  grows.set(key + 1, key)
}
