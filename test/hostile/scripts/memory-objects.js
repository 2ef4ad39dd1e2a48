// Objects until the heap is full.
// ends: MEMORY TIMEOUT
log('before')
const all = []
for (;;) all.push({ x: [1, 2, 3] })
