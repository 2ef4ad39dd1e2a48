// Asynchronous functions without end, each waiting for the one that it called.
// ends: MEMORY TIMEOUT RUNTIME
log('before')
const deeper = async n => {
  await null
  const room = Array(100).fill(n)
  await deeper(n + 1)
  return room
}
await deeper(0)
