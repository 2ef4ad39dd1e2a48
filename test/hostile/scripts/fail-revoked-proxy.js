// A failure message that was taken back.
// ends: RUNTIME
// error: revoked
log('before')
const { proxy, revoke } = Proxy.revocable(() => {}, {})
revoke()
fail(proxy)
