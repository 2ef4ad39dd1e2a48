// Template objects, which code keeps alive.
// ends: MEMORY TIMEOUT
log('before')
const kept = []
for (let i = 0; ; i++) kept.push(Function('tag', `return tag\`${'x'.repeat(1_000)}${i}\``)(strings => strings))
