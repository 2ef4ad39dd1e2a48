// Memory filled to the brim: the next account has all of its own.
// ends: exit MEMORY
// next: exit(Array.from({ length: 3e5 }, (_, i) => ({ i })).length)
// nextResult: 300000
log('before')
globalThis.kept = Array.from({ length: 3e5 }, (_, i) => ({ i, text: `t${i}` }))
exit(1)
