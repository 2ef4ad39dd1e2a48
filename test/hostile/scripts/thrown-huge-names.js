// A stack of three thousand frames whose names are half a million characters long.
// ends: RUNTIME MEMORY
// error: ^Error: short$|memory
log('before')
Error.stackTraceLimit = Number.POSITIVE_INFINITY
const name = 'n'.repeat(5e5)
const named = {
  [name](depth) {
    if (depth === 0) throw new Error('short')
    return named[name](depth - 1)
  },
}
named[name](3_000)
