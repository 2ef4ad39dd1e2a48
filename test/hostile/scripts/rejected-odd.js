// Rejections with values of every odd kind, unhandled.
// ends: RUNTIME
// error: ^Unhandled rejection
log('before')
const { proxy, revoke } = Proxy.revocable({}, {})
revoke()
const odd = [proxy, Symbol('s'), Object.create(null), 1n, undefined, null, exit, Platform, [], '\ud800\n', -0]
for (const value of odd) Promise.reject(value)
await new Promise(() => {})
