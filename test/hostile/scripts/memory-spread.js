// Arguments without end, spread into an object.
// ends: MEMORY TIMEOUT RUNTIME CRASHED
log('before')
let object = { a: 1 }
for (let i = 0; ; i++) object = { ...object, ...Object.fromEntries(Array.from({ length: 1e4 }, (_, j) => [`k${i}_${j}`, j])) }
