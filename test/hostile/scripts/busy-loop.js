// A loop that never ends.
// ends: TIMEOUT
log('before')
for (;;);
