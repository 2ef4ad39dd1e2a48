// A result of twenty million characters.
// ends: LIMIT MEMORY
log('before')
exit('x'.repeat(2e7))
