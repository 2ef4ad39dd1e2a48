// Log calls of a hundred thousand arguments.
// ends: exit TIMEOUT MEMORY
log('before')
const many = Array.from({ length: 5e4 }, (_, i) => i)
for (let i = 0; i < 1e5; i++) log(...many)
exit(1)
