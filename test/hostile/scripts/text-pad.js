// Padding to the longest text there may be.
// ends: MEMORY TIMEOUT RUNTIME
log('before')
const all = []
for (;;) all.push('x'.padEnd(2 ** 28, 'abc').at(-1))
