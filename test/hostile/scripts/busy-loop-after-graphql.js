// A loop in the continuation of an answered call.
// ends: TIMEOUT
log('before')
await graphql('{ x }')
for (;;);
