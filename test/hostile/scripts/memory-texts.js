// Texts until the heap is full.
// ends: MEMORY TIMEOUT
log('before')
const all = []
for (let i = 0; ; i++) all.push(String(i).repeat(1000))
