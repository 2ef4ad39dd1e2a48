// A result with keys without end.
// ends: TIMEOUT MEMORY
log('before')
exit(
  new Proxy(
    {},
    {
      ownKeys: () => Array.from({ length: 1e7 }, (_, i) => `k${i}`),
      getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }),
    },
  ),
)
