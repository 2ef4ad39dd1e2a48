// An asynchronous generator that delegates to itself.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
async function* delegates() {
  yield* delegates()
}
for await (const x of delegates()) exit(x)
