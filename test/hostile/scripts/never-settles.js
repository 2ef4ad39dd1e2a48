// A promise that never settles, with nothing pending.
// ends: NO_OUTCOME
log('before')
await new Promise(() => {})
