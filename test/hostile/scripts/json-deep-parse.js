// JSON of two million levels.
// ends: MEMORY TIMEOUT RUNTIME
log('before')
for (;;) JSON.parse('['.repeat(2e6) + ']'.repeat(2e6))
