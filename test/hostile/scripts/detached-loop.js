// A loop in a promise that nobody awaits, while the run waits for a call.
// ends: TIMEOUT
log('before')
;(async () => {
  await null
  for (;;);
})()
await graphql('{ x }', {}, options.params.hanging)
