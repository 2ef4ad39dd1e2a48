// A power of BigInts: native code that no timeout interrupts.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
let x = 3n
for (;;) x = x ** 3n
