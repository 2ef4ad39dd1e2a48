// A thrown value that was taken back.
// ends: RUNTIME
// error: cannot be described
log('before')
const { proxy, revoke } = Proxy.revocable({}, {})
revoke()
throw proxy
