// A result that doubles at each level.
// ends: TIMEOUT MEMORY LIMIT
log('before')
let wide = ['x']
for (let i = 0; i < 40; i++) wide = [wide, wide]
exit(wide)
