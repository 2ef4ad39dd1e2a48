// All of an endless row of promises.
// ends: TIMEOUT MEMORY
log('before')
await Promise.all({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: Promise.resolve() }) }) })
