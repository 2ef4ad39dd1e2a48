// A set of numbers without end.
// ends: MEMORY TIMEOUT CRASHED
log('before')
const kept = new Set()
for (let i = 0; ; i++) kept.add(i)
