// Buffers outside the heap, refusals caught.
// ends: MEMORY TIMEOUT
log('before')
const all = []
for (;;) {
  try {
    all.push(new Uint8Array(1e7).fill(1))
  } catch {}
}
