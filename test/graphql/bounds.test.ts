import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../http/edge/start-app.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.close())

const repeat = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ')

const path = [
  'teamMembership(id: 1)',
  ...Array.from({ length: 3 }, () => [
    'user',
    'memberships(first: 1)',
    'nodes',
    'team',
    'memberships(first: 1)',
    'nodes',
  ]),
].flat()

// A document with fields nested this deep. The innermost field is an `id`.
const nest = (levels: number) => `{ ${path.slice(0, levels - 1).join(' { ')} { id ${'}'.repeat(levels)}`

const task = '{ name: "a", sourceCode: "exit(1)", inputDocument: "{}", options: "{}" }'

interface Case {
  readonly title: string
  readonly bound: string
  readonly query: string
  readonly variables?: Record<string, unknown>
}

const beyond: Case[] = [
  {
    title: 'a subscription of 201 points an event',
    bound: 'eventCost',
    query: `subscription { teamMembershipChanged { ${repeat(20, i => `a${i}: txnID`)} } }`,
  },
  { title: '5,001 tokens', bound: 'tokens', query: `{ viewer { ${repeat(5_000, () => 'userId')} } }` },
  { title: '101 aliases', bound: 'aliases', query: `{ viewer { ${repeat(101, i => `a${i}: userId`)} } }` },
  {
    title: '101 aliases in fragments',
    bound: 'aliases',
    query: `{ viewer { ...A ...B } } fragment A on Viewer { ${repeat(60, i => `a${i}: userId`)} }
      fragment B on Viewer { ${repeat(41, i => `b${i}: userId`)} }`,
  },
  {
    title: 'an alias of 101 characters',
    bound: 'aliasCharacters',
    query: `{ viewer { ...V } } fragment V on Viewer { ${'a'.repeat(101)}: userId }`,
  },
  {
    title: '201 directives',
    bound: 'directives',
    query: `{ viewer { userId ${repeat(201, () => '@skip(if: false)')} } }`,
  },
  {
    title: '101 variables',
    bound: 'variables',
    query: `query (${repeat(101, i => `$v${i}: Int`)}) { viewer { userId } }`,
  },
  { title: '51 root fields', bound: 'rootFields', query: `{ ${repeat(51, i => `a${i}: __typename`)} }` },
  {
    title: '64 root fields by fragments that multiply',
    bound: 'rootFields',
    query: `{ ...F0 } ${repeat(6, i => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)}
      fragment F6 on Query { __typename }`,
  },
  { title: '16 levels', bound: 'depth', query: nest(16) },
  {
    title: '16 levels through fragments',
    bound: 'depth',
    query: `{ user(id: 1) { ...F0 } }
      ${repeat(5, i => `fragment F${i} on User { memberships { nodes { user { ...F${i + 1} } } } }`)}
      fragment F5 on User { id }`,
  },
  {
    title: '1,001 by 1,000 memberships',
    bound: 'cost',
    query:
      '{ user(id: 1) { memberships(first: 1000) { nodes { team { memberships(first: 1000) { nodes { id } } } } } } }',
  },
  {
    title: '8,001 values in variables, most of them fields that nobody knows',
    bound: 'values',
    query: 'mutation ($input: AddTeamMembershipInput!) { addTeamMembership(input: $input) { id } }',
    variables: { input: Object.fromEntries(Array.from({ length: 8_000 }, (_, index) => [`f${index}`, 1])) },
  },
  {
    title: '7,000 ids in a variable',
    bound: 'listItems',
    query: 'query ($ids: [ID!]!) { teamMemberships(ids: $ids) { id } }',
    variables: { ids: Array(7_000).fill(1) },
  },
  {
    title: '1,001 ids as written',
    bound: 'listItems',
    query: `{ teamMemberships(ids: [${repeat(1_001, i => `${i + 1}`)}]) { id } }`,
  },
  {
    title: '1,001 versions',
    bound: 'listItems',
    query: 'mutation ($v: [Int!]) { removeTeamMembership(id: 1, ifVersions: $v) { id } }',
    variables: { v: Array(1_001).fill(1) },
  },
  { title: '20,001 lines', bound: 'lines', query: `${'#\n'.repeat(20_000)}{ viewer { userId } }` },
  { title: '20,001 lines in a text', bound: 'lines', query: `{ a(b: """${'\r'.repeat(20_000)}""") }` },
  {
    title: '201 fragments',
    bound: 'fragments',
    query: `{ viewer { ...F0 } } ${repeat(201, i => `fragment F${i} on Viewer { userId }`)}`,
  },
  {
    title: 'all types with their fields under 50 aliases',
    bound: 'introspectionFields',
    query: `{ ${repeat(50, i => `a${i}: __schema { ...S }`)} }
      fragment S on __Schema { types { fields { args { name description type { name } } } } }`,
  },
  {
    title: 'the fields of all types under aliases',
    bound: 'introspectionFields',
    query: `{ __schema { types {
      ${repeat(45, i => `a${i}: fields { name description type { name description } args { name description } }`)}
        } } }`,
  },
  {
    title: 'fields of types of fields of types of fields',
    bound: 'introspectionNesting',
    query: '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
  },
  {
    title: 'lists of three types in one another, through fragments',
    bound: 'introspectionNesting',
    query: `{ ...Q } fragment Q on Query { __type(name: "Team") { ...A } }
      fragment A on __Type { interfaces { ... { possibleTypes { ...B } } } }
      fragment B on __Type { inputFields { name } }`,
  },
  {
    title: 'a payload under 24 aliases',
    bound: 'cost',
    query: `mutation { executeTask(input: ${task}) { ${repeat(24, i => `a${i}: payload`)} } }`,
  },
  {
    title: 'names of a thousand teams under 20 aliases',
    bound: 'cost',
    query: `query ($ids: [ID!]!) { teamMemberships(ids: $ids) { team { ${repeat(20, i => `a${i}: name`)} } } }`,
    variables: { ids: Array(1_000).fill(1) },
  },
  {
    title: 'users of a thousand memberships under 23 aliases',
    bound: 'cost',
    query: `query ($ids: [ID!]!) { teamMemberships(ids: $ids) { ${repeat(23, i => `a${i}: user { id }`)} } }`,
    variables: { ids: Array(1_000).fill(1) },
  },
  {
    title: 'a thousand bad pages under four aliases',
    bound: 'cost',
    query: `query ($ids: [ID!]!) { teamMemberships(ids: $ids) { user {
      ${repeat(4, i => `a${i}: memberships(first: -1) { nodes { id } }`)} } } }`,
    variables: { ids: Array(1_000).fill(1) },
  },
  {
    title: 'the same field in 190 fragments',
    bound: 'repetition',
    query: `{ teamMembership(id: 1) { ${repeat(190, i => `...F${i}`)} } }
      ${repeat(190, i => `fragment F${i} on TeamMembership { user { memberships { nodes { id } } } }`)}`,
  },
  {
    title: 'the same field in a fragment that nothing spreads',
    bound: 'repetition',
    query: `{ viewer { userId } } fragment F on TeamMembership { ${repeat(400, () => 'user { id }')} }`,
  },
  {
    title: 'the same field in 1,200 inline fragments',
    bound: 'repetition',
    query: `{ viewer { ${repeat(1_200, () => '... { userId }')} } }`,
  },
  {
    title: '20 tasks',
    bound: 'cost',
    query: `mutation { ${repeat(20, i => `a${i}: executeTask(input: ${task}) { id }`)} }`,
  },
  {
    title: 'fragments that multiply 2^25 times',
    bound: 'cost',
    query: `{ viewer { ...F0 } } ${repeat(25, i => `fragment F${i} on Viewer { ...F${i + 1} ...F${i + 1} }`)}
      fragment F25 on Viewer { userId }`,
  },
  {
    title: '1,200 fields to compare with one another',
    bound: 'repetition',
    query: `{ teamMembership(id: 1) { ${repeat(1_200, () => 'user { id }')} } }`,
  },
]

test.each(beyond)(
  '$title are refused with the bound `$bound` before any resolver runs',
  async ({ bound, query, variables }) => {
    const statements = app.statements.length
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const { status, body } = await app.send('/graphql', {
        method: 'POST',
        headers: { accept },
        body: { query, variables },
      })
      expect(status).toBe(400)
      expect(body.errors).toHaveLength(1)
      expect(body.errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', bound })
      expect(body).not.toHaveProperty('data')
    }
    const sent = app.statements.slice(statements)
    expect(sent.filter(statement => !statement.includes('from "api_tokens"'))).toEqual([])
  },
)

const within: Case[] = [
  {
    title: 'an alias of 100 characters',
    bound: 'aliasCharacters',
    query: `{ viewer { ${'a'.repeat(100)}: userId } }`,
  },
  { title: '100 aliases', bound: 'aliases', query: `{ viewer { ${repeat(100, i => `a${i}: userId`)} } }` },
  { title: '50 root fields', bound: 'rootFields', query: `{ ${repeat(50, i => `a${i}: __typename`)} }` },
  { title: '15 levels', bound: 'depth', query: nest(15) },
  {
    title: 'fields of types of fields, and other lists beside them',
    bound: 'introspectionNesting',
    query: `{ __schema { types { interfaces { name } fields { args { type { name } } type {
      fields { name type { name ofType { name } } } possibleTypes { name } } } } } }`,
  },
  {
    title: '1,000 ids with user and team under two aliases each',
    bound: 'cost',
    query: `query ($ids: [ID!]!) { teamMemberships(ids: $ids) {
      id userId teamId leader version
      a: user { id email displayName } b: user { id email displayName } c: team { id name } d: team { id name }
    } }`,
    variables: { ids: Array.from({ length: 1_000 }, (_, index) => index + 1) },
  },
]

test.each(within)('$title are allowed', async ({ query, variables }) => {
  const { status, body } = await app.graphql(query, variables)
  expect(body.errors).toBeUndefined()
  expect(status).toBe(200)
})

test('a cycle of fragments is an error of the document, found at once', async () => {
  const { body } = await app.graphql('{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }')
  expect(body.errors[0].message).toContain('within itself')
})

test('introspection below `__schema` has its own bounds instead of depth', async () => {
  const ofType = (depth: number): string => (depth === 0 ? 'name' : `name ofType { ${ofType(depth - 1)} }`)
  const usual = await app.graphql(`{ __schema { types { fields { type { ${ofType(12)} } } } } }`)
  expect(usual.body.errors).toBeUndefined()
  const deep = await app.graphql(`{ __schema { types { fields { type { ${ofType(28)} } } } } }`)
  expect(deep.status).toBe(400)
  expect(deep.body.errors[0].message).toBe(
    'A request can have at most 32 levels of introspection; this one has 33: nest fewer fields.',
  )
  const nested = await app.graphql(
    `{ __schema { types { ${'fields { type { '.repeat(4)} name ${'} }'.repeat(4)} } } }`,
  )
  expect(nested.body.errors[0].message).toBe(
    'A request can have at most 1 level of nested types in introspection; this one has 3: read types by their names.',
  )
})

test('text nested 20,000 deep is a 400 that says so', async () => {
  const { status, body } = await app.graphql(`${'{a'.repeat(20_000)}${'}'.repeat(20_000)}`)
  expect(status).toBe(400)
  expect(body.errors[0].extensions.code).toBe('BAD_USER_INPUT')
})

test('misspelt names are refused without suggestions', async () => {
  const { body } = await app.graphql(
    'query ($i: TaskOutcom) { viewr { scope } teamMembership(idd: 1) { id } }',
  )
  expect(body.errors.length).toBeGreaterThan(2)
  expect(JSON.stringify(body)).not.toMatch(/did you mean/i)
})

test('an error repeats only the beginning of a long text', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, 1]))
  const input = { name: 'x'.repeat(1_000_000), ...unknown }
  const query = 'mutation ($input: ExecuteTaskInput!) { executeTask(input: $input) { id } }'
  const { text, body } = await app.graphql(query, { input })
  expect(body.errors[0].extensions.code).toBe('BAD_USER_INPUT')
  expect(text.length).toBeLessThan(20_000)
})
