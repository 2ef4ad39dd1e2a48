// A list of forty levels that is two to the fortieth wide.
// ends: TIMEOUT MEMORY
log('before')
let wide = [1]
for (let i = 0; i < 40; i++) wide = [wide, wide]
log(wide)
exit('never')
