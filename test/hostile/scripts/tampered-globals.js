// Every global redefined, deleted and frozen before the first use.
// ends: exit
// result: "real"
log('before')
for (const name of ['exit', 'fail', 'log', 'graphql', 'Platform', 'requestContext', 'generateGuid']) {
  globalThis[name] = () => log('forged')
  delete globalThis[name]
  try {
    Object.defineProperty(globalThis, name, { value: () => log('forged') })
    log('redefined', name)
  } catch {}
}
globalThis.Promise = globalThis.Array = globalThis.Object = globalThis.JSON = globalThis.Error = null
exit('real')
