// A class that takes forever to know its own, asked for in each way the realm asks.
// ends: TIMEOUT
log('before')
Object.defineProperty(Error, Symbol.hasInstance, {
  value() {
    for (;;);
  },
})
log(new Error('x'))
exit(new Error('y') instanceof Error)
