// A lookbehind that backtracks forever.
// ends: TIMEOUT
log('before')
exit(/(?<=^(a+)+)b/d.test(`x${'a'.repeat(40)}b`))
