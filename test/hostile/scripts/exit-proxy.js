// A result whose keys take forever to list.
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
