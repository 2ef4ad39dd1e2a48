// Errors with stacks of a thousand frames.
// ends: MEMORY TIMEOUT
log('before')
Error.stackTraceLimit = 1_000
const kept = []
const dive = depth => (depth === 0 ? new Error('x') : dive(depth - 1))
for (;;) kept.push(dive(1_000))
