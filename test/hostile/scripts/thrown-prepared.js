// Stacks that the script would like to prepare itself.
// ends: exit
// result: ["string","string","string","TypeError"]
log('before')
Error.prepareStackTrace = (_, sites) => sites
class Own extends Error {
  static prepareStackTrace = (_, sites) => sites
}
const object = {}
Error.captureStackTrace(object)
let refused = 'nothing'
try {
  Object.defineProperty(Error, 'prepareStackTrace', { value: (_, sites) => sites })
} catch (error) {
  refused = error.name
}
exit([typeof new Error('x').stack, typeof new Own('x').stack, typeof object.stack, refused])
