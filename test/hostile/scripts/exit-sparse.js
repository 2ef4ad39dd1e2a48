// A result of four thousand million holes.
// ends: LIMIT TIMEOUT MEMORY
log('before')
exit(new Array(2 ** 32 - 1))
