// A failure message that is a symbol with a line break.
// ends: fail
// message: "Symbol(a\nb)"
log('before')
fail(Symbol('a\nb'))
