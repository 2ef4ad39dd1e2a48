// A loop that catches whatever is thrown into it.
// ends: TIMEOUT
log('before')
for (;;) {
  try {
    for (;;);
  } catch {
    log('caught')
  } finally {
    log('finally')
  }
}
