// The functions of the script's own world, pulled at from all sides.
// ends: exit
// result: []
log('before')
const bad = []
for (const given of [exit, fail, log, graphql, requestContext, generateGuid, Platform.users.get, console.log]) {
  const tries = [
    () => Object.setPrototypeOf(given, null),
    () => Object.defineProperty(given, 'call', { value: 1 }),
    () => Reflect.construct(given, []),
    () => Reflect.construct(Object, [], given),
    () => given.caller,
    () => given.arguments,
    () => given.prototype.x,
    () => class extends given {},
  ]
  for (const [n, attempt] of tries.entries()) {
    try {
      attempt()
      bad.push([given.name, n])
    } catch (error) {
      if (!(error instanceof TypeError)) bad.push([given.name, n, String(error)])
    }
  }
  if (/\{\s*\[native code\]\s*\}/.test(String(given)) === false) bad.push(String(given))
}
exit(bad)
