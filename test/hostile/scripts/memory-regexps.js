// Compiled patterns without end.
// ends: MEMORY TIMEOUT
log('before')
const kept = []
for (let i = 0; ; i++) {
  const pattern = new RegExp(`${'(x|y)'.repeat(200)}${i}`)
  pattern.test('x'.repeat(300))
  kept.push(pattern)
}
