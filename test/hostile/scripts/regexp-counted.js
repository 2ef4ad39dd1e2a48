// Counted groups that multiply.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
for (;;) {
  try {
    new RegExp('((((((a{1,99}){1,99}){1,99}){1,99}){1,99}){1,99})*b').test('a'.repeat(5_000))
  } catch {}
}
