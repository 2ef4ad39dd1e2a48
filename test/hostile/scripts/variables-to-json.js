// Variables of a call that take forever to write.
// ends: TIMEOUT
log('before')
await graphql('{ x }', {
  toJSON() {
    for (;;);
  },
})
