// Generators that are all in the middle of something.
// ends: MEMORY TIMEOUT
log('before')
const kept = []
for (;;) {
  const generator = (function* () {
    const room = Array(1_000).fill(kept.length)
    yield room
    yield room
  })()
  generator.next()
  kept.push(generator)
}
