// A result whose keys take for ever to list.
// ends: TIMEOUT
log('before')
exit(
  new Proxy(
    {},
    {
      ownKeys() {
        for (;;);
      },
    },
  ),
)
