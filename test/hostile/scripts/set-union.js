// The union of large sets, over and over.
// ends: TIMEOUT MEMORY
log('before')
const numbers = new Set(Array.from({ length: 1e5 }, (_, i) => i))
for (;;) numbers.union(numbers).isSubsetOf(numbers)
