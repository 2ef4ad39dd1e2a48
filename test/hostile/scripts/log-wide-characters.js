// Log data that is larger in bytes than in characters.
// ends: exit
// result: 1
log('before')
for (let i = 0; i < 100; i++) log('€'.repeat(5_000))
exit(1)
