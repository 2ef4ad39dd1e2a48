import { beforeAll, expect, test } from 'vitest'
import type { GraphqlBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const post = (body: unknown) => server.rest<GraphqlBody>('POST', '/graphql', { body })

const many = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ')

const connection = (depth: number): string =>
  depth === 0 ? 'id' : `user { memberships(first: 1) { edges { node { ${connection(depth - 1)} } } } }`

test.each([
  ['tokens', `{ teamMembership(id: "1") { ${many(10_000, () => 'id')} } }`, /token/i],
  ['depth', `{ teamMembership(id: "1") { ${connection(12)} } }`, /dep(th|ly)|deep/i],
  ['depth through fragments', deepFragments(), /dep(th|ly)|deep/i],
  ['aliases', `{ viewer { ${many(500, i => `a${i}: email`)} } }`, /alias/i],
  ['root fields', `{ ${many(200, () => 'viewer { email }')} }`, /root field/i],
  ['cost', `{ ${many(4, i => costly(i))} }`, /cost/i],
  ['cost of tasks', `mutation { ${many(40, i => task(i))} }`, /cost/i],
])('the bound on %s refuses with its own clear 400', async (_, query, message) => {
  const answer = await post({ query })
  expect(answer.status).toBe(400)
  expect(answer.body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  expect(answer.body.errors?.[0]?.message).toMatch(message)
  expect(answer.body.data ?? null).toBeNull()
})

test('bounds count the values of variables, not their names', async () => {
  const query = `query($n: Int!) { user(id: "1") { memberships(first: $n) { edges { node { user {
    memberships(first: $n) { edges { node { id } } } } } } } } }`
  expect((await post({ query, variables: { n: 2 } })).status).toBe(200)
  expect((await post({ query, variables: { n: 1000 } })).status).toBe(400)
})

// Expanded one by one, the fragments make 2^30 fields.
test('bounds come to an end with fragments that double and with cycles', async () => {
  const doubling = `{ ...F0 } ${many(30, i => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)}
    fragment F30 on Query { __typename }`
  expect((await post({ query: doubling })).body.errors).toBeDefined()
  const cycle = await post({ query: '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }' })
  expect(cycle.body.errors).toBeDefined()
})

function deepFragments(): string {
  const part = (i: number) =>
    `fragment F${i} on User { memberships(first: 1) { edges { node { user { ...F${i + 1} } } } } }`
  return `{ user(id: "1") { ...F0 } } ${many(12, part)} fragment F12 on User { id }`
}

function costly(index: number): string {
  return `a${index}: user(id: "1") { memberships(first: 1000) { edges { node { user {
    memberships(first: 1000) { edges { node { id } } } } } } } }`
}

function task(index: number): string {
  return `a${index}: executeTask(input: {name: "a", sourceCode: "exit(1)", inputDocument: "{}", options: "{}"}) { id }`
}
