// A search in an array-like of endless length.
// ends: TIMEOUT
log('before')
Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)
