// All that the realm might use of the language, replaced.
// ends: exit
// result: [{"real":[1,{"x":2}]},36,36,"Query"]
// logs: [["before"],[{"a":[1]}]]
log('before')
const broken = () => {
  throw new Error('tampered')
}
const names = ['slice', 'indexOf', 'push', 'map', 'call', 'apply', 'bind', 'then', 'get', 'set', 'has', 'isPrototypeOf']
const { getOwnPropertyNames } = Object
const { iterator } = Symbol
const holders = [Object, Reflect, JSON, Promise, Array, Symbol, String, Math, Function]
for (let i = 0; i < holders.length; i++) {
  const own = getOwnPropertyNames(holders[i])
  for (let j = 0; j < own.length; j++) if (typeof holders[i][own[j]] === 'function') holders[i][own[j]] = broken
}
const classes = [Object, Array, String, Function, Promise, Map, WeakMap, Set, Error, RegExp]
for (let i = 0; i < classes.length; i++) {
  const { prototype } = classes[i]
  for (let j = 0; j < names.length; j++) if (names[j] in prototype && names[j] !== 'then') prototype[names[j]] = broken
  prototype[iterator] = broken
}
log({ a: [1] })
const { data } = await graphql('{ __typename }')
const guid = generateGuid()
const { txnID } = requestContext()
exit([{ real: [1, { x: 2 }] }, guid.length, txnID.length, data.__typename])
