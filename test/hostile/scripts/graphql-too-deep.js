// Documents past each bound of the gateway are refused like anybody's.
// ends: exit
// calls: 0
// result: ["rejected","rejected","rejected","rejected"]
log('before')
const documents = [
  `{ viewer ${'{ a '.repeat(500)} ${'}'.repeat(500)} }`,
  `{ ${Array.from({ length: 5_000 }, (_, i) => `a${i}: __typename`).join(' ')} }`,
  '{ __typename '.repeat(20_000),
  `query (${Array.from({ length: 9_000 }, (_, i) => `$v${i}: ID`).join()}) { __typename }`,
]
const fates = await Promise.allSettled(documents.map(document => graphql(document)))
exit(fates.map(({ status, value }) => (value?.errors ? 'rejected' : status)))
