// A world that is frozen to its last prototype.
// ends: exit
// result: {"data":{"__typename":"Query"}}
log('before')
for (const name of Object.getOwnPropertyNames(globalThis)) {
  const value = globalThis[name]
  if (Object(value) !== value) continue
  Object.freeze(value)
  if (value.prototype) Object.freeze(value.prototype)
}
Object.freeze(globalThis)
exit(await graphql('{ __typename }'))
