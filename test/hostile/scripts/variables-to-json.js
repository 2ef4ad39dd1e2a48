// Variables of a call that take for ever to write.
// ends: TIMEOUT
log('before')
await graphql('{ x }', {
  toJSON() {
    for (;;);
  },
})
