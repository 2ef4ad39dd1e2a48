// A failure message that is an error whose message is an object without end.
// ends: TIMEOUT
log('before')
fail(
  Object.defineProperty(new Error('x'), 'message', {
    get: () => ({
      toString() {
        for (;;);
      },
    }),
  }),
)
