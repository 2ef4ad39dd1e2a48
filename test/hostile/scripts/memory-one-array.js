// One array larger than all memory that a run may have.
// ends: MEMORY TIMEOUT
log('before')
exit(Array(2e8).fill(0).length)
