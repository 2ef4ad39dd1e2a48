// What claims to be an array of endless length, concatenated.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
const claims = { length: 2 ** 32 - 2, [Symbol.isConcatSpreadable]: true }
for (;;) [].concat(claims)
