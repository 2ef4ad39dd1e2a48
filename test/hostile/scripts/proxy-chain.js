// A proxy of a proxy of a proxy.
// ends: exit RUNTIME TIMEOUT MEMORY CRASHED
// result: "RangeError"
log('before')
let proxy = {}
for (let i = 0; i < 1e5; i++) proxy = new Proxy(proxy, {})
try {
  exit(proxy.x ?? 'none')
} catch (error) {
  exit(error.name)
}
