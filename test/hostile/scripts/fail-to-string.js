// A failure message that takes for ever to write.
// ends: TIMEOUT
log('before')
fail({
  toString() {
    for (;;);
  },
})
