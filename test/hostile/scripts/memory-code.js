// Code made of texts without end.
// ends: MEMORY TIMEOUT
log('before')
const all = []
for (let i = 0; ; i++) all.push(new Function(`return ${'1+'.repeat(5_000)}${i}`))
