// Calls in continuations of a run that has ended.
// ends: exit
// result: 1
// calls: 1
log('before')
const again = () => graphql('{ __typename }').then(again, again)
await graphql('{ __typename }')
Promise.resolve().then(again)
exit(1)
