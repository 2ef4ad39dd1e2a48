// Log data whose keys never end.
// ends: TIMEOUT MEMORY
log('before')
log(
  new Proxy(
    {},
    {
      ownKeys() {
        for (;;);
      },
    },
  ),
)
