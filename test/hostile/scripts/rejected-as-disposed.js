// A rejection that claims that the isolate is gone is reported like any other.
// ends: RUNTIME
// error: ^Unhandled rejection: Isolate was disposed$
log('before')
Promise.reject(new Error('Isolate was disposed'))
await new Promise(() => {})
