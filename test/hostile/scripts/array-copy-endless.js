// Copying within an array-like of endless length.
// ends: TIMEOUT
log('before')
Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1)
