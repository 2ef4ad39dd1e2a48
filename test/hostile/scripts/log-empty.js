// A hundred thousand log calls of nothing, to evade the count of bytes.
// ends: exit TIMEOUT
log('before')
for (let i = 0; i < 1e5; i++) log()
exit(1)
