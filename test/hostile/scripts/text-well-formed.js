// Half characters without end, mended.
// ends: TIMEOUT MEMORY
log('before')
const text = '\ud800x'.repeat(4e6)
for (;;) text.toWellFormed().isWellFormed()
