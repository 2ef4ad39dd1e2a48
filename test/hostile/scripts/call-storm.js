// Calls without end, refused ones as well.
// ends: TIMEOUT
log('before')
for (;;) await graphql('{ x }').catch(() => {})
