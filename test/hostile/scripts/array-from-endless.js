// An array from an array-like that is too long.
// ends: TIMEOUT MEMORY
log('before')
Array.from({ length: 2 ** 32 - 1 })
