// More parameters than there may be.
// ends: exit
// result: "SyntaxError"
log('before')
try {
  Function('a,'.repeat(70_000), '')
} catch (error) {
  exit(error.name)
}
