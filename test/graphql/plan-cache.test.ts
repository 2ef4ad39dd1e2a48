import { getOperationAST, parse } from 'graphql'
import { expect, test } from 'vitest'
import type { PreparedOperation } from '../../src/graphql/document-cache.ts'
import { createPlanCache, type FindPlan } from '../../src/graphql/plan/plan-cache.ts'
import { schema } from '../../src/schema/index.ts'

function prepare(text: string, name?: string): PreparedOperation {
  const document = parse(text)
  const node = getOperationAST(document, name) ?? null
  return {
    document,
    node,
    variables: [],
    leaveOutJson: variables => variables,
    acceptedShapes: new Map(),
    description: 'query',
    executions: 0,
  }
}

const executionsBefore = 8

function execute(findPlan: FindPlan, operation: PreparedOperation, times: number) {
  return Array.from({ length: times }, () => findPlan(operation) !== null)
}

test('a document is compiled after eight executions and its plan stays cached', () => {
  const findPlan = createPlanCache(schema)
  const operation = prepare('{ viewer { email } }')
  const cold = Array.from({ length: executionsBefore - 1 }, () => false)
  expect(execute(findPlan, operation, executionsBefore + 2)).toEqual([...cold, true, true, true])
  expect(findPlan(operation)).toBe(findPlan(operation))
})

test('documents executed once get no plan and evict none', () => {
  const findPlan = createPlanCache(schema)
  const hot = prepare('{ viewer { email } }')
  execute(findPlan, hot, executionsBefore)
  for (let id = 0; id < 2_000; id++) {
    expect(findPlan(prepare(`{ user(id: ${id}) { id } }`))).toBe(null)
  }
  expect(findPlan(hot)).not.toBe(null)
})

test('with more hot documents than the cache holds, the least recently used are counted again', () => {
  const findPlan = createPlanCache(schema)
  const first = prepare('{ viewer { email } }')
  execute(findPlan, first, executionsBefore)
  for (let id = 0; id < 500; id++) execute(findPlan, prepare(`{ user(id: ${id}) { id } }`), executionsBefore)
  expect(execute(findPlan, first, executionsBefore)).toEqual([
    ...Array.from({ length: executionsBefore - 1 }, () => false),
    true,
  ])
})

test('plans with many fields take more room in the cache', () => {
  const findPlan = createPlanCache(schema)
  const first = prepare('{ viewer { email } }')
  execute(findPlan, first, executionsBefore)
  const fields = Array.from({ length: 450 }, (_, at) => `a${at}: userId`).join(' ')
  for (let id = 0; id < 45; id++)
    execute(findPlan, prepare(`{ b${id}: viewer { ${fields} } }`), executionsBefore)
  expect(findPlan(first)).toBe(null)
})

test('a plan without fields works like any other', () => {
  const findPlan = createPlanCache(schema)
  const operation = prepare('{ viewer @skip(if: true) { email } }')
  expect(execute(findPlan, operation, executionsBefore).at(-1)).toBe(true)
})

test.each([
  ['of a long text', (id: number) => `query a { a${id}: __typename } # ${'x'.repeat(1_900_000)}`],
  ['of many operations', manyOperations],
])('small plans of documents %s take more room in the cache', (_title, write) => {
  const findPlan = createPlanCache(schema)
  const first = prepare('{ viewer { email } }')
  execute(findPlan, first, executionsBefore)
  for (let id = 0; id < 30; id++) execute(findPlan, prepare(write(id), 'a'), executionsBefore)
  expect(findPlan(first)).toBe(null)
})

function manyOperations(id: number): string {
  const others = Array.from({ length: 900 }, (_, at) => `query b${at} { __typename }`)
  return `query a { a${id}: __typename } ${others.join(' ')}`
}

test('a document that cannot be compiled is tried once and left to graphql-js', () => {
  const findPlan = createPlanCache(schema)
  const operation = prepare('{ __schema { queryType { name } } }')
  expect(execute(findPlan, operation, 100)).not.toContain(true)
})
