// Huge texts in capitals.
// ends: TIMEOUT MEMORY
log('before')
for (;;) 'ß'.repeat(2 ** 24).toUpperCase()
