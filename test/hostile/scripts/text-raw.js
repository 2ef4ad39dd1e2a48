// A template of endless parts.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
exit(String.raw({ raw: { length: 2 ** 53 - 1, 0: 'x' } }).length)
