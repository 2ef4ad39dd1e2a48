// A generator that does not return when it is told to.
// ends: TIMEOUT
log('before')
function* stubborn() {
  for (;;) {
    try {
      yield 1
    } finally {
      for (;;);
    }
  }
}
for (const x of stubborn()) break
