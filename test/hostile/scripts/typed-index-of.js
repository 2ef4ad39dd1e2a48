// A search through a large buffer, over and over.
// ends: TIMEOUT MEMORY
log('before')
const bytes = new Uint8Array(2e7)
for (;;) bytes.lastIndexOf(1)
