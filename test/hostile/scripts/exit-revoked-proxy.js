// A result that was taken back.
// ends: RESULT
// error: revoked
log('before')
const { proxy, revoke } = Proxy.revocable([], {})
revoke()
exit({ proxy })
