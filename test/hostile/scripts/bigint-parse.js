// Digits to a number, again and again.
// ends: TIMEOUT MEMORY
log('before')
const digits = '9'.repeat(1e6)
for (;;) BigInt(digits)
