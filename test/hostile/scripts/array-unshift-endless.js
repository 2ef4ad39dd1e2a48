// Moving all of an array-like of endless length.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
Array.prototype.splice.call({ length: 2 ** 53 - 2, [2 ** 52]: 1 }, 0, 0, 'x')
