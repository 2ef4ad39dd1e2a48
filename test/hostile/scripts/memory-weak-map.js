// A weak map whose keys are all kept.
// ends: MEMORY TIMEOUT CRASHED
log('before')
const kept = []
const weak = new WeakMap()
for (;;) {
  const key = {}
  kept.push(key)
  weak.set(key, Array(10))
}
