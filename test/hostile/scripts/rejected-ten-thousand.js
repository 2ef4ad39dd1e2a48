// Ten thousand rejections that nobody handles, with long messages.
// ends: RUNTIME TIMEOUT MEMORY
// error: ^Unhandled rejection: xxx|processor time|memory
log('before')
for (let i = 0; i < 1e4; i++) Promise.reject(new Error('x'.repeat(5_000)))
await new Promise(() => {})
