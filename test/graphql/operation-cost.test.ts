import { getOperationAST, parse } from 'graphql'
import { expect, test } from 'vitest'
import { fragmentsOf } from '../../src/graphql/measure-selections.ts'
import { operationCost } from '../../src/graphql/operation-cost.ts'
import { schema } from '../../src/schema/index.ts'

function price(query: string, variables: Record<string, unknown> = {}): number {
  const document = parse(query)
  const operation = getOperationAST(document)
  if (!operation) throw new Error('expected one operation')
  return operationCost({ schema, operation, fragments: fragmentsOf(document), variables })
}

test.each([
  ['each field costs 1', '{ viewer { userId email } }', {}, 3],
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
  ['a page costs its size', '{ user(id: 1) { memberships(first: 7) { nodes { id } } } }', {}, 1 + 1 + 7 * 2],
  [
    'a page from the end as well',
    '{ user(id: 1) { memberships(last: 7) { nodes { id } } } }',
    {},
    1 + 1 + 7 * 2,
  ],
  [
    'a page of untold size costs the default of 100',
    '{ team(id: 1) { memberships { nodes { id } } } }',
    {},
    2 + 100 * 2,
  ],
  [
    'a page in a variable',
    'query ($n: Int) { user(id: 1) { memberships(first: $n) { nodes { id } } } }',
    { n: 9 },
    2 + 9 * 2,
  ],
  [
    'a page beyond 1,000 is refused later, and costs 1,000',
    '{ user(id: 1) { memberships(first: 9999) { nodes { id } } } }',
    {},
    2 + 1_000 * 2,
  ],
  [
    'a negative page costs no less than one',
    '{ user(id: 1) { memberships(first: -9) { nodes { id } } } }',
    {},
    4,
  ],
  [
    'null in a variable is the default',
    'query ($n: Int) { user(id: 1) { memberships(first: $n) { nodes { id } } } }',
    { n: null },
    2 + 100 * 2,
  ],
  ['a task costs 10,000', 'mutation { executeTask(input: {}) { id } }', {}, 10_001],
  [
    'fragments cost where they are spread',
    '{ viewer { ...F ... { ...F } } } fragment F on Viewer { userId email }',
    {},
    5,
  ],
  ['skipped fields cost as written', '{ viewer { userId @skip(if: true) } }', {}, 2],
  ['unknown fields cost 1', '{ nothing { at { all } } }', {}, 3],
  [
    'variables named like parts of objects are none',
    'query ($constructor: [ID!]!) { teamMemberships(ids: $constructor) { id } }',
    {},
    2,
  ],
])('%s', (_title, query, variables, expected) => {
  expect(price(query, variables)).toBe(expected)
})
