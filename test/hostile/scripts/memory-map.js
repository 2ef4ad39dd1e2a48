// A map without end, which V8 cannot interrupt as it grows.
// ends: MEMORY TIMEOUT
log('before')
const all = new Map()
for (let i = 0; ; i++) all.set(i, i)
