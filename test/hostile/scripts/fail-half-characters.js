// Half a character, a NUL and a line separator in a failure message arrive word for word.
// ends: fail
// message: "\ud800 \u0000 \u2028 \udfff"
log('before')
fail('\ud800 \u0000 \u2028 \udfff')
