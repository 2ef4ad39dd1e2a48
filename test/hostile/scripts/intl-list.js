// A list of a million words, formatted.
// ends: TIMEOUT MEMORY
log('before')
for (;;) new Intl.ListFormat('en').format(Array(1e6).fill('x'))
