// Folding the case of a huge text, in a pattern that never matches.
// ends: TIMEOUT MEMORY
log('before')
const text = 'ſK'.repeat(1e6)
for (;;) /[^\W]ß$/iu.exec(text)
