// A buffer filled from an array-like that never ends.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
const endless = { get length() { for (;;); } }
new Uint8Array(8).set(endless)
