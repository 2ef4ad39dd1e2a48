// A text of a thousand million characters, spread into an array.
// ends: CRASHED MEMORY RUNTIME TIMEOUT
log('before')
exit([...'.'.repeat(2 ** 29 - 24)].length)
