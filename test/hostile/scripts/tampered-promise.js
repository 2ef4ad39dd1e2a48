// Promises whose constructor, species and then are the script's.
// ends: exit
// result: [["asked"],"TypeError"]
log('before')
const seen = []
Object.defineProperty(Promise, Symbol.species, { value: class Odd {} })
Promise.resolve = () => ({ then: resolve => resolve('forged') })
const { then } = Promise.prototype
Promise.prototype.then = function (...handlers) {
  seen.push('asked')
  return then.apply(this, handlers)
}
let refused = 'nothing'
try {
  await graphql('{ __typename }').then(() => 1)
} catch (error) {
  refused = error.name
}
exit([seen, refused])
