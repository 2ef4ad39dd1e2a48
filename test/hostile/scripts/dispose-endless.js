// A resource that takes forever to dispose of.
// ends: TIMEOUT
log('before')
{
  using resource = {
    [Symbol.dispose]() {
      for (;;);
    },
  }
  log(typeof resource)
}
