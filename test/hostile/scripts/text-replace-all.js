// A replacement longer than a text may be.
// ends: RUNTIME MEMORY TIMEOUT
// error: ^RangeError: Invalid string length|memory|processor time
log('before')
exit('a'.repeat(1e6).replaceAll('a', 'b'.repeat(1e4)).length)
