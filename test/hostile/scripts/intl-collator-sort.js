// Sorting long texts by the rules of a language.
// ends: TIMEOUT MEMORY
log('before')
const texts = Array.from({ length: 200 }, (_, i) => 'ä'.repeat(1e4) + i)
for (;;) texts.toSorted(new Intl.Collator('sv', { sensitivity: 'variant' }).compare)
