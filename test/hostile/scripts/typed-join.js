// A buffer as text, with a separator that is longer than it.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
for (;;) new Uint8Array(1e6).join('-'.repeat(100))
