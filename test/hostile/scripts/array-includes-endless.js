// A search in an array-like of endless length that finds nothing.
// ends: TIMEOUT
log('before')
Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)
