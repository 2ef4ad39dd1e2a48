// A failure message of twenty million characters.
// ends: LIMIT MEMORY
log('before')
fail('x'.repeat(2e7))
