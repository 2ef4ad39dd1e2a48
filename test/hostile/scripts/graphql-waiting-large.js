// A hundred calls of two megabytes each that wait for others that hang.
// ends: MEMORY TIMEOUT
log('before')
for (let i = 0; i < 99; i++) graphql('{ x }', { large: `${i}${'€'.repeat(1.9e6)}` }, options.params.hanging)
await graphql('{ x }', {}, options.params.hanging)
