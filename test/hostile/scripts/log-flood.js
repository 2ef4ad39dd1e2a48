// More log calls than can be kept.
// ends: TIMEOUT
log('before')
for (;;) log('flood', 'x'.repeat(100))
