// A proxy that is the prototype of its own target.
// ends: RUNTIME TIMEOUT
log('before')
const target = {}
const proxy = new Proxy(target, {})
try {
  Object.setPrototypeOf(target, proxy)
} catch {}
exit(target.missing ?? 'none')
