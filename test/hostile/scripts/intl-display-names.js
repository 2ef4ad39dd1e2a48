// Caches of ICU, one for each locale there is.
// ends: TIMEOUT MEMORY
log('before')
const all = []
const regions = Array.from({ length: 676 }, (_, i) => String.fromCharCode(65 + i / 26, 65 + (i % 26)))
for (;;) {
  for (const region of regions) {
    all.push(new Intl.DisplayNames(`en-${region}`, { type: 'region' }))
    all.push(new Intl.NumberFormat(`de-${region}`, { style: 'currency', currency: 'EUR' }))
    all.push(new Intl.RelativeTimeFormat(`fr-${region}`), new Intl.PluralRules(`ar-${region}`))
  }
}
