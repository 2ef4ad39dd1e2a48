// A call that is never answered, and nobody waits for it.
// ends: TIMEOUT
log('before')
graphql('{ x }', {}, options.params.hanging)
