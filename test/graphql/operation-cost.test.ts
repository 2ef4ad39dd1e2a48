import { getOperationAST, parse } from 'graphql'
import { expect, test } from 'vitest'
import { fragmentsOf } from '../../src/graphql/bounds/measure-selections.ts'
import { createPricing } from '../../src/graphql/bounds/operation-cost.ts'
import { schema } from '../../src/schema/index.ts'

const priceOf = createPricing(schema)

function price(query: string, variables: Record<string, unknown> = {}): number {
  const document = parse(query)
  const operation = getOperationAST(document)
  if (!operation) throw new Error('expected one operation')
  return priceOf({ operation, fragments: fragmentsOf(document), variables })
}

test.each([
  ['each field costs 1', '{ viewer { userId email } }', {}, 3],
  [
    'a text of a user or team costs 10',
    '{ user(id: 1) { id email displayName } team(id: 1) { name } }',
    {},
    33,
  ],
  [
    'a record that is looked up costs 8',
    '{ teamMembership(id: 1) { user { id } team { id } } }',
    {},
    1 + 2 * 9,
  ],
  [
    'a list costs its fields once for each id',
    '{ teamMemberships(ids: [1, 2, 3]) { id userId } }',
    {},
    1 + 3 * 2,
  ],
  ['a single id is a list of one', '{ teamMemberships(ids: 1) { id } }', {}, 2],
  [
    'ids in a variable are counted',
    'query ($i: [ID!]!) { teamMemberships(ids: $i) { id } }',
    { i: [1, 2, 3, 4] },
    5,
  ],
  ['default values are counted', 'query ($i: [ID!]! = [1, 2]) { teamMemberships(ids: $i) { id } }', {}, 3],
  [
    'a page costs 50 and its size',
    '{ user(id: 1) { memberships(first: 7) { nodes { id } } } }',
    {},
    1 + 50 + 7 * 2,
  ],
  [
    'a page from the end as well',
    '{ user(id: 1) { memberships(last: 7) { nodes { id } } } }',
    {},
    1 + 50 + 7 * 2,
  ],
  [
    'a page of untold size costs the default of 100',
    '{ team(id: 1) { memberships { nodes { id } } } }',
    {},
    51 + 100 * 2,
  ],
  [
    'a page in a variable',
    'query ($n: Int) { user(id: 1) { memberships(first: $n) { nodes { id } } } }',
    { n: 9 },
    51 + 9 * 2,
  ],
  [
    'a page beyond 1,000 is refused later, and costs 1,000',
    '{ user(id: 1) { memberships(first: 9999) { nodes { id } } } }',
    {},
    51 + 1_000 * 2,
  ],
  [
    'a negative page costs no less than one',
    '{ user(id: 1) { memberships(first: -9) { nodes { id } } } }',
    {},
    51 + 2,
  ],
  [
    'null in a variable is the default',
    'query ($n: Int) { user(id: 1) { memberships(first: $n) { nodes { id } } } }',
    { n: null },
    51 + 100 * 2,
  ],
  [
    'each of many changes costs 40, besides what is selected of it',
    'mutation ($items: [RemoveTeamMembershipItem!]!) { removeTeamMemberships(items: $items) { applied } }',
    { items: [{ id: 1 }, { id: 2 }, { id: 3 }] },
    1 + 3 * 40 + 3,
  ],
  ['a task costs 10,000', 'mutation { executeTask(input: {}) { id } }', {}, 10_001],
  [
    'what a task can answer costs by its length',
    'mutation { executeTask(input: {}) { payload message logs { data } } }',
    {},
    10_000 + 2 * 9_000 + 1 + 1_000 * 3,
  ],
  [
    'a long value of a kept run costs 20',
    '{ run(id: "a") { message payload input options error { code } } }',
    {},
    8 + 5 * 20 + 1,
  ],
  [
    'the log of one run costs as many entries as it can have',
    '{ run(id: "a") { logs { at level data } } }',
    {},
    8 + 20 + 1_000 * 5,
  ],
  [
    'the logs of all runs share 10,000 entries, however many there are',
    '{ runs(first: 50) { nodes { logs { at level data } } } }',
    {},
    50 + 50 * (1 + 20) + 10_000 * 5,
  ],
  [
    'also through fragments, below other lists and for each alias',
    `{ run(id: "a") { ...L } a: queuedRuns(first: 2) { nodes { runs { ...L } } } b: runs { nodes { ...L } } }
      fragment L on Run { logs { data } }`,
    {},
    8 + 20 + 3_000 + (50 + 2 * (2 + 10 * 20) + 30_000) + (50 + 100 * 21 + 30_000),
  ],
  [
    'an alias costs one more for each 25 characters',
    `{ viewer { ${'x'.repeat(24)}: userId ${'y'.repeat(25)}: userId ${'z'.repeat(100)}: userId } }`,
    {},
    1 + 1 + 2 + 5,
  ],
  [
    'introspection costs nothing',
    '{ __schema { types { name fields { name } } } __type(name: "T") { name } }',
    {},
    0,
  ],
  ['and nothing beside data that pays', '{ a: __schema { types { name } } viewer { userId } }', {}, 2],
  [
    'fragments cost where they are spread',
    '{ viewer { ...F ... { ...F } } } fragment F on Viewer { userId email }',
    {},
    5,
  ],
  ['skipped fields cost as written', '{ viewer { userId @skip(if: true) } }', {}, 2],
  ['unknown fields cost 1', '{ nothing { at { all } } }', {}, 3],
  [
    'the characters of a text are no members of a filter',
    'query ($filter: RunFilter) { runs(filter: $filter, first: 1) { nodes { id } } }',
    { filter: 'text' },
    50 + 2,
  ],
  [
    'variables named like parts of objects are none',
    'query ($constructor: [ID!]!) { teamMemberships(ids: $constructor) { id } }',
    {},
    2,
  ],
])('%s', (_title, query, variables, expected) => {
  expect(price(query, variables)).toBe(expected)
})
