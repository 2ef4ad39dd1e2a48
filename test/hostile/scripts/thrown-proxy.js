// A thrown proxy whose every trap takes forever.
// ends: TIMEOUT
log('before')
const spin = () => {
  for (;;);
}
throw new Proxy({}, { get: spin, ownKeys: spin, getPrototypeOf: spin, has: spin })
