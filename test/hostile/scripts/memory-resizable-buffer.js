// A buffer that grows outside what the isolate counts.
// ends: MEMORY TIMEOUT RUNTIME
log('before')
const all = []
for (;;) {
  const buffer = new ArrayBuffer(1, { maxByteLength: 2 ** 28 })
  buffer.resize(2 ** 28)
  new Uint8Array(buffer).fill(1)
  all.push(buffer)
}
