// A result that takes for ever to write.
// ends: TIMEOUT
log('before')
exit({
  toJSON() {
    for (;;);
  },
})
