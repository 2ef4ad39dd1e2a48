// A result that is within the limit in characters, and past it in bytes.
// ends: LIMIT
log('before')
exit('€'.repeat(1e6))
