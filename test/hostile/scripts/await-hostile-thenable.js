// A thenable that answers with another one, forever.
// ends: TIMEOUT
log('before')
const endless = {}
Object.defineProperty(endless, 'then', { value: resolve => resolve(endless) })
await endless
