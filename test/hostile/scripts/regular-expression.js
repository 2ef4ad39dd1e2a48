// A regular expression that backtracks forever.
// ends: TIMEOUT
log('before')
exit(/^(a+)+$/.test(`${'a'.repeat(40)}b`))
