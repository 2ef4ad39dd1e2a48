// A loop that starts once the first call into the isolate could have returned.
// ends: TIMEOUT
log('before')
await null
for (;;);
