// An unhandled rejection whose message takes forever to read, outside every timed call.
// ends: TIMEOUT
log('before')
const reason = {
  get message() {
    for (;;);
  },
  get stack() {
    for (;;);
  },
}
Promise.reject(reason)
await new Promise(() => {})
