// A query, variables and a url of twelve megabytes each reject, and none is made.
// ends: exit
// calls: 0
// result: ["rejected","rejected","rejected"]
log('before')
const large = 'x'.repeat(12e6)
const calls = [graphql(large), graphql('{ __typename }', { large }), graphql('{ __typename }', {}, `https://x/${large}`)]
exit((await Promise.allSettled(calls)).map(call => call.status))
