// Calls with every odd argument reject, and none is made.
// ends: exit
// calls: 0
// result: "all"
log('before')
const { proxy, revoke } = Proxy.revocable({}, {})
revoke()
const calls = [
  [],
  [5],
  [null],
  [{}],
  [new String('{ __typename }')],
  [{ toString: () => '{ __typename }' }],
  ['{ __typename }', []],
  ['{ __typename }', 'x'],
  ['{ __typename }', () => 1],
  ['{ __typename }', { a: 1n }],
  ['{ __typename }', { a: Symbol('x') }],
  ['{ __typename }', proxy],
  ['{ __typename }', { toJSON: () => 'text' }],
  ['{ __typename }', { toJSON: () => [1] }],
  ['{ __typename }', {}, 5],
  ['{ __typename }', {}, {}],
  ['{ __typename }', {}, 'not a url'],
  ['{ __typename }', {}, '//127.0.0.1/'],
  ['{ __typename }', {}, 'file:///etc/passwd'],
  ['{ __typename }', {}, 'http://127.0.0.1:1/'],
  ['{ __typename }', {}, '\u0000'],
]
const fates = await Promise.allSettled(calls.map(call => graphql(...call)))
const made = fates.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []))
exit(made.length === 0 ? 'all' : made)
