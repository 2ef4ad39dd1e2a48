// Normalising a huge text over and over, in native code.
// ends: TIMEOUT MEMORY
log('before')
const text = 'ﷺ'.repeat(2 ** 18)
for (;;) text.normalize('NFKD')
