// Exits from every corner at once: the first in time wins.
// ends: exit
// result: "first"
// logs: [["before"]]
log('before')
const late = name => () => {
  log(name)
  exit(name)
}
Promise.resolve().then(late('then'))
graphql('{ __typename }').then(late('call'))
;(async () => {
  await null
  late('async')()
})()
using resource = { [Symbol.dispose]: late('dispose') }
try {
  exit('first')
} finally {
  late('finally')()
}
