// A resource that takes for ever to dispose of.
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
