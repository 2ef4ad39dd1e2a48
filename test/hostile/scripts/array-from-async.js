// An array from an asynchronous source without end.
// ends: TIMEOUT MEMORY
log('before')
await Array.fromAsync(
  (async function* () {
    for (;;) yield 1
  })(),
)
