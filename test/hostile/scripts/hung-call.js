// A call that is never answered.
// ends: TIMEOUT
log('before')
await graphql('{ x }', {}, options.params.hanging)
