// A large buffer as text, in native code.
// ends: TIMEOUT MEMORY
log('before')
const bytes = new Uint8Array(1e7)
for (;;) Uint8Array.fromBase64(bytes.toBase64())
