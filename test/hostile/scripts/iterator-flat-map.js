// An iterator helper over nothing, forever.
// ends: TIMEOUT
log('before')
const endless = Iterator.from({ next: () => ({ done: false, value: 0 }) })
for (const x of endless.flatMap(() => [])) exit(x)
