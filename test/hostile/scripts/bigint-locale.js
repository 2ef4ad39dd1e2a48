// A number of 100,000 digits in the German way.
// ends: TIMEOUT MEMORY
log('before')
const large = 10n ** 100_000n
for (;;) large.toLocaleString('de')
