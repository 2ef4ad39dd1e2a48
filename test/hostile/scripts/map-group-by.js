// Groups of what never ends.
// ends: TIMEOUT MEMORY
log('before')
Map.groupBy({ [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }, () => ({}))
