// Log data a hundred thousand levels deep.
// ends: exit
// result: 1
log('before')
let deep = 1
for (let i = 0; i < 1e5; i++) deep = i % 2 ? [deep] : { deep }
log(deep)
exit(1)
