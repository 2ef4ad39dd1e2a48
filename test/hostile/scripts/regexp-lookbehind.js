// A lookbehind that backtracks for ever.
// ends: TIMEOUT
log('before')
exit(/(?<=^(a+)+)b/d.test(`x${'a'.repeat(40)}b`))
