// A failure message that takes forever to write.
// ends: TIMEOUT
log('before')
fail({
  toString() {
    for (;;);
  },
})
