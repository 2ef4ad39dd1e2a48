// A million calls, of which a hundred are made.
// ends: TIMEOUT MEMORY
log('before')
for (let i = 0; i < 1e6; i++) graphql('{ __typename }').catch(() => {})
await graphql('{ x }', {}, options.params.hanging)
