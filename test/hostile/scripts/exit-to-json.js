// A result that takes forever to write.
// ends: TIMEOUT
log('before')
exit({
  toJSON() {
    for (;;);
  },
})
