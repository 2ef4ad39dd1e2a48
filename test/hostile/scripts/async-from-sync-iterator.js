// Waiting for each value of an iterator that never ends.
// ends: TIMEOUT
log('before')
for await (const x of { [Symbol.iterator]: () => ({ next: () => ({ done: false, value: null }) }) }) if (x) exit(x)
