// Labels that jump out of `finally`, forever.
// ends: TIMEOUT
log('before')
again: for (;;) {
  try {
    throw 1
  } catch {
    continue again
  } finally {
    continue again
  }
}
