// A set-like whose keys never end.
// ends: TIMEOUT MEMORY
log('before')
const endless = { size: Infinity, has: () => false, keys: () => ({ next: () => ({ done: false, value: {} }) }) }
new Set([1]).symmetricDifference(endless)
