// A number of nine million digits, printed.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
for (;;) String(2n ** 30_000_000n)
