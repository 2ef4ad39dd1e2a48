// Symbols that are registered forever.
// ends: MEMORY TIMEOUT
log('before')
for (let i = 0; ; i++) Symbol.for('x'.repeat(1_000) + i)
