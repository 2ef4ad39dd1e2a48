// Thenables that resolve to each other.
// ends: TIMEOUT MEMORY
log('before')
const one = { then: resolve => resolve(other) }
const other = { then: resolve => resolve(one) }
await Promise.any([one, other])
