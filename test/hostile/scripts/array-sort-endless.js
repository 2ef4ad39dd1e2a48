// Sorting an array-like of four thousand million holes.
// ends: TIMEOUT MEMORY
log('before')
Array.prototype.sort.call({ length: 2 ** 32 - 1 })
