// Lengths at the very edge of what an array may have.
// ends: CRASHED MEMORY RUNTIME TIMEOUT
log('before')
const edge = new Array(2 ** 32 - 1)
edge.at(-1)
edge.toSorted()
edge.toSpliced(0, 1)
edge.with(5, 1)
Object.keys(edge)
Array.prototype.concat.call(edge, edge)
