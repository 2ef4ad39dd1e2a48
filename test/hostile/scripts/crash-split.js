// A split that V8 itself does not survive.
// ends: CRASHED MEMORY
log('before')
'x'.repeat(2 ** 28).split('')
exit(1)
