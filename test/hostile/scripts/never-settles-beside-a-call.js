// A promise that never settles, beside a call that is never answered.
// ends: TIMEOUT
log('before')
graphql('{ x }', {}, options.params.hanging)
await new Promise(() => {})
