// A thrown value whose message takes forever to read.
// ends: TIMEOUT
log('before')
const thrown = new Error('x')
Object.defineProperty(thrown, 'message', {
  get() {
    for (;;);
  },
})
throw thrown
