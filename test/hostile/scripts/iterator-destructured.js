// Destructuring what never ends.
// ends: TIMEOUT MEMORY
log('before')
const [first, ...rest] = { [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 'x'.repeat(100) }) }) }
exit([first, rest.length])
