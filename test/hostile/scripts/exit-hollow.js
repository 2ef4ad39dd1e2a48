// Collections and bytes whose content JSON would lose, in a proxy.
// ends: RESULT
log('before')
exit({ users: new Proxy(new Map([[1, new Set([new Uint8Array(8)])]]), {}) })
