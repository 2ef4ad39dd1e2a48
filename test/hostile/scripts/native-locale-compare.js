// Comparing huge texts by locale, in native code.
// ends: TIMEOUT MEMORY
log('before')
const text = 'ä'.repeat(2 ** 22)
for (;;) text.localeCompare(`${text}b`, 'de')
