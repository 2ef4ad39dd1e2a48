// Accessors on the prototype of all objects, by every name that the realm's own objects have.
// ends: exit
// result: {"real":1}
// logs: [["before"],["still"]]
log('before')
const names = ['kind', 'post', 'message', 'line', 'column', 'stack', 'resolve', 'reject', 'error', 'value', 'get', 'set']
names.push('writable', 'enumerable', 'configurable', 'code', 'url', 'query', 'variables', '0', '1', 'length', 'constructor')
for (const name of names) {
  Object.defineProperty(Object.prototype, name, {
    __proto__: null,
    get() {
      return undefined
    },
    set() {
      for (;;);
    },
    configurable: true,
  })
}
log('still')
await null
exit({ real: 1 })
