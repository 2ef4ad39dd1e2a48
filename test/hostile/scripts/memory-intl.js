// Formatters, which ICU keeps outside the heap.
// ends: MEMORY TIMEOUT
log('before')
const all = []
for (;;) all.push(new Intl.DateTimeFormat('de', { dateStyle: 'full' }), new Intl.Collator('sv'))
