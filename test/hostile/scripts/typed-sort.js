// Sorting a large buffer, in native code.
// ends: TIMEOUT MEMORY
log('before')
const numbers = new Uint8Array(2e7)
for (;;) numbers.sort()
