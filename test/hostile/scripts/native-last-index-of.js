// A quadratic search in native code.
// ends: TIMEOUT
log('before')
'a'.repeat(2 ** 24).lastIndexOf(`${'a'.repeat(2 ** 23)}b`)
