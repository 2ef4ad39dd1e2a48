// A rejection that says the isolate is gone is told like any other.
// ends: RUNTIME
// error: ^Unhandled rejection: Isolate was disposed$
log('before')
Promise.reject(new Error('Isolate was disposed'))
await new Promise(() => {})
