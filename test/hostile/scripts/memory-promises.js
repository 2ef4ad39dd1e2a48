// Promises without end.
// ends: MEMORY TIMEOUT
log('before')
const all = []
for (;;) all.push(new Promise(() => {}))
