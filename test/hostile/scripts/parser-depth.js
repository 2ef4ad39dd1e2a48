// Source so deep that a parser overflows its stack.
// ends: exit
log('before')
const tries = ['('.repeat(1e5), '['.repeat(1e5), '{'.repeat(1e5), 'a=>'.repeat(1e5), '!'.repeat(1e5)]
for (const text of tries) {
  try {
    new Function(text)
  } catch (error) {
    if (!(error instanceof Error)) throw error
  }
}
exit('still here')
