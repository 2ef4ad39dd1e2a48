// Calls that a result makes as it is written: they are counted like others, and none is made once the result is out.
// ends: exit
// result: {"a":{"a":{"a":null}}}
log('before')
const asks = depth => ({
  get a() {
    graphql('{ __typename }').then(() => exit('late'))
    return depth === 0 ? null : asks(depth - 1)
  },
})
exit(asks(2))
