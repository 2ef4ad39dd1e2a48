import { type OperationDefinitionNode, parse } from 'graphql'
import { beforeEach, expect, test } from 'vitest'
import { createOperationCheck } from '../../src/graphql/bounds/check-operation.ts'
import { declaredVariables, shapeOf } from '../../src/graphql/bounds/measure-variables.ts'
import { createPricing } from '../../src/graphql/bounds/operation-cost.ts'
import { teamMemberships } from '../../src/operations/directory.ts'
import { executeTask } from '../../src/operations/executions.ts'
import { schema } from '../../src/schema/index.ts'

let prices: number

const priceOf = createPricing(schema)

function startCheck() {
  return createOperationCheck(schema, request => {
    prices++
    return priceOf(request)
  })
}

beforeEach(() => {
  prices = 0
})

const add = teamMemberships.add.document
const task = { name: 'a', sourceCode: 'exit(1)', inputDocument: '{}', options: '{}' }
const pages = 'query ($first: Int = 5) { team(id: 1) { memberships(first: $first) { edges { cursor } } } }'
const filtered = 'query ($filter: RunFilter) { runs(filter: $filter, first: 1) { nodes { id } } }'
const list = 'query ($ids: [ID!]!) { teamMemberships(ids: $ids) { id } }'

test.each<[string, string, Record<string, unknown>, Record<string, unknown>]>([
  ['a mutation with an input', add, { input: { userId: 1, teamId: 2 } }, { input: { userId: 3, teamId: 4 } }],
  ['an execution', executeTask.document, { input: task }, { input: { ...task, name: 'b', metadata: null } }],
  ['lists of one length', list, { ids: [1, 2] }, { ids: [3, 4] }],
  ['pages of one size', pages, { first: 7 }, { first: 7 }],
  ['one filter', filtered, { filter: { functionId: 1 } }, { filter: { functionId: 2, outcome: null } }],
])('%s is priced once', (_, query, first, second) => {
  const check = startCheck()
  expect(check({ query, variables: first }).kind).toBe('accepted')
  const before = prices
  expect(before).toBeGreaterThan(0)
  expect(check({ query, variables: second }).kind).toBe('accepted')
  expect(prices).toBe(before)
})

test.each<[string, string, Record<string, unknown>, Record<string, unknown>]>([
  ['a list of another length', list, { ids: [1] }, { ids: [1, 2] }],
  ['a list for what was a single value', list, { ids: 1 }, { ids: [1, 2] }],
  ['a page of another size', pages, { first: 7 }, { first: 8 }],
  ['a page of the default size', pages, { first: 7 }, {}],
  ['a page of no size', pages, {}, { first: null }],
  ['another filter', filtered, { filter: { functionId: 1 } }, { filter: { caseId: 1 } }],
  ['a filter for none', filtered, {}, { filter: { functionId: 1 } }],
])('%s is priced again', (_, query, first, second) => {
  const check = startCheck()
  check({ query, variables: first })
  const before = prices
  check({ query, variables: second })
  expect(prices).toBeGreaterThan(before)
})

test('a shape stays short, however long the names of its variables are', () => {
  const [first, ids] = ['first', 'ids'].map(name => `${name}${'x'.repeat(10_000)}`)
  const [node] = parse(`query ($${first}: Int, $${ids}: [ID!]) { viewer { userId } }`).definitions
  const declared = declaredVariables(schema, node as OperationDefinitionNode)
  expect(shapeOf(declared, { [`${first}`]: 7, [`${ids}`]: [1, 2] })).toBe('0=7,1:2,')
})

test('the errors of a document are cached unless they are long', () => {
  const check = startCheck()
  const findError = (name: string) => {
    const checked = check({ query: `query ${name}($unused: Int) { viewer { userId } }` })
    return checked.kind === 'refused' ? checked.errors[0] : null
  }
  expect(findError('short')).toBe(findError('short'))
  const long = 'x'.repeat(1_000)
  expect(findError(long)).toEqual(findError(long))
  expect(findError(long)).not.toBe(findError(long))
})

test('an accepted shape lets no other one past a bound', () => {
  const check = startCheck()
  const ids = (length: number) => ({ ids: Array.from({ length }, (_, index) => index + 1) })
  for (let time = 0; time < 2; time++) {
    expect(check({ query: list, variables: ids(1_000) })).toMatchObject({ kind: 'accepted' })
    expect(check({ query: list, variables: ids(1_001) })).toMatchObject({ kind: 'refused', by: 'bounds' })
  }
  const many = { userId: 1, teamId: 2, more: Array.from({ length: 8_001 }, () => 0) }
  expect(check({ query: add, variables: { input: { userId: 1, teamId: 2 } } }).kind).toBe('accepted')
  expect(check({ query: add, variables: { input: many } })).toMatchObject({ kind: 'refused', by: 'bounds' })
})

test('an accepted filter lets no search past the bound on cost', () => {
  const check = startCheck()
  const fields = Array.from(
    { length: 40 },
    (_, index) => `r${index}: runs(filter: $filter, first: 1) { nodes { id } }`,
  )
  const query = `query ($filter: RunFilter) { ${fields.join(' ')} }`
  const light = { functionId: 1 }
  const heavy = { ...light, text: 'a' }
  for (let time = 0; time < 2; time++) {
    expect(check({ query, variables: { filter: light } })).toMatchObject({ kind: 'accepted' })
    expect(check({ query, variables: { filter: heavy } })).toMatchObject({ kind: 'refused', by: 'bounds' })
  }
  const inDefault = query.replace('RunFilter', 'RunFilter = {outcome: EXIT}')
  expect(check({ query: inDefault, variables: {} })).toMatchObject({ kind: 'accepted' })
  expect(check({ query: inDefault, variables: { filter: heavy } })).toMatchObject({ kind: 'refused' })
})

test('any number of shapes is accepted', () => {
  const check = startCheck()
  for (let first = 1; first <= 100; first++) {
    expect(check({ query: pages, variables: { first } }).kind).toBe('accepted')
  }
})

test('too many values are refused before they are priced', () => {
  const filter = Object.fromEntries(Array.from({ length: 8_001 }, (_, index) => [`f${index}`, 1]))
  expect(startCheck()({ query: filtered, variables: { filter } })).toMatchObject({ by: 'bounds' })
  expect(prices).toBe(0)
})

// Both have a `JSON` value inside, whose content does not count.
const save = 'mutation ($input: SaveCaseInput!) { saveCase(input: $input) { saved } }'
const saveData = 'mutation ($data: JSON!) { saveCase(input: { caseTypeCode: "a", data: $data }) { saved } }'

test.each<[string, string, (fields: object) => Record<string, unknown>]>([
  ['of an input object', save, input => ({ input })],
  ['that are variables themselves', saveData, variables => variables as Record<string, unknown>],
])('of 20,000 fields %s, most are not read before the refusal', (_, query, variablesOf) => {
  let reads = 0
  const countRead = { enumerable: true, get: () => ++reads }
  const names = Array.from({ length: 20_000 }, (__, index) => `f${index}`)
  const fields = Object.defineProperties({}, Object.fromEntries(names.map(name => [name, countRead])))
  expect(startCheck()({ query, variables: variablesOf(fields) })).toMatchObject({ by: 'bounds' })
  expect(reads).toBeLessThan(10_000)
})

const search = 'query ($filter: CaseFilter) { cases(filter: $filter, first: 1) { nodes { id } } }'

test.each([
  [20_000, 1],
  [2_000, 20],
])('of %i objects in a list with %i fields each, most are not read before the refusal', (objects, fields) => {
  let reads = 0
  const countRead = { enumerable: true, get: () => ++reads }
  const names = Array.from({ length: fields }, (_, index) => `f${index}`)
  const item = Object.defineProperties({}, Object.fromEntries(names.map(name => [name, countRead])))
  const filter = { caseTypeCode: 'a', where: Array.from({ length: objects }, () => item) }
  expect(startCheck()({ query: search, variables: { filter } })).toMatchObject({ by: 'bounds' })
  expect(reads).toBeLessThan(10_000)
})
