// A heap that fills in the continuation of a call, others pending.
// ends: MEMORY TIMEOUT
log('before')
graphql('{ x }', {}, options.params.hanging)
await graphql('{ x }')
const all = []
for (;;) all.push({ x: [1, 2, 3] })
