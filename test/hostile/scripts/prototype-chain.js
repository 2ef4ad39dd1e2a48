// A prototype chain of a million objects.
// ends: exit TIMEOUT MEMORY
// result: "none"
log('before')
let object = {}
for (let i = 0; i < 1e6; i++) object = Object.create(object)
exit(object.x ?? 'none')
