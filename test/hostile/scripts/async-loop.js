// An endless loop that awaits at each turn.
// ends: TIMEOUT
log('before')
for (;;) await null
