// A regular expression that backtracks for ever.
// ends: TIMEOUT
log('before')
exit(/^(a+)+$/.test(`${'a'.repeat(40)}b`))
