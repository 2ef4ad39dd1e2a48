// Parsing a large text over and over, in native code.
// ends: TIMEOUT MEMORY
log('before')
const text = `[${'1,'.repeat(1e6)}1]`
for (;;) JSON.parse(text)
