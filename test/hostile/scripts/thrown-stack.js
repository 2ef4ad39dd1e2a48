// A thrown error whose stack takes forever to read.
// ends: TIMEOUT
log('before')
const thrown = new Error('x')
Object.defineProperty(thrown, 'stack', {
  get() {
    for (;;);
  },
})
throw thrown
