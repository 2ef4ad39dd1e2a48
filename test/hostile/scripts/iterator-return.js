// A generator that ignores `return`.
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
