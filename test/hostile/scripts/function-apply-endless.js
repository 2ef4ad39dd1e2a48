// More arguments than a stack has room for.
// ends: exit TIMEOUT MEMORY
// result: "RangeError"
log('before')
try {
  Math.max(...Array(5e6).fill(1))
} catch (error) {
  exit(error.name)
}
