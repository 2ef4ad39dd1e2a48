import { getOperationAST, parse } from 'graphql'
import { expect, test } from 'vitest'
import type { PreparedOperation } from '../../src/graphql/document-cache.ts'
import { createPlanCache, type FindPlan } from '../../src/graphql/plan/plan-cache.ts'
import { schema } from '../../src/schema/index.ts'

function prepare(text: string, name?: string): PreparedOperation {
  const document = parse(text)
  const node = getOperationAST(document, name) ?? null
  return { document, node, variables: [], admittedShapes: new Map(), description: 'query', executions: 0 }
}

const executionsBefore = 8

function execute(findPlan: FindPlan, operation: PreparedOperation, times: number) {
  return Array.from({ length: times }, () => findPlan(operation) !== null)
}

test('a document is compiled when it has been executed eight times, and then stays', () => {
  const findPlan = createPlanCache(schema)
  const operation = prepare('{ viewer { email } }')
  const cold = Array.from({ length: executionsBefore - 1 }, () => false)
  expect(execute(findPlan, operation, executionsBefore + 2)).toEqual([...cold, true, true, true])
  expect(findPlan(operation)).toBe(findPlan(operation))
})

test('documents that are executed once cost no plan, and forget none', () => {
  const findPlan = createPlanCache(schema)
  const hot = prepare('{ viewer { email } }')
  execute(findPlan, hot, executionsBefore)
  for (let id = 0; id < 2_000; id++) {
    expect(findPlan(prepare(`{ user(id: ${id}) { id } }`))).toBe(null)
  }
  expect(findPlan(hot)).not.toBe(null)
})

test('of more hot documents than there is room for, those used least lately have to prove hot again', () => {
  const findPlan = createPlanCache(schema)
  const first = prepare('{ viewer { email } }')
  execute(findPlan, first, executionsBefore)
  for (let id = 0; id < 500; id++) execute(findPlan, prepare(`{ user(id: ${id}) { id } }`), executionsBefore)
  expect(execute(findPlan, first, executionsBefore)).toEqual([
    ...Array.from({ length: executionsBefore - 1 }, () => false),
    true,
  ])
})

test('plans of many fields leave room for fewer', () => {
  const findPlan = createPlanCache(schema)
  const first = prepare('{ viewer { email } }')
  execute(findPlan, first, executionsBefore)
  const fields = Array.from({ length: 450 }, (_, at) => `a${at}: userId`).join(' ')
  for (let id = 0; id < 45; id++)
    execute(findPlan, prepare(`{ b${id}: viewer { ${fields} } }`), executionsBefore)
  expect(findPlan(first)).toBe(null)
})

test('a plan of no field at all is as good as any', () => {
  const findPlan = createPlanCache(schema)
  const operation = prepare('{ viewer @skip(if: true) { email } }')
  expect(execute(findPlan, operation, executionsBefore).at(-1)).toBe(true)
})

test.each([
  ['of a long text', (id: number) => `query a { a${id}: __typename } # ${'x'.repeat(1_900_000)}`],
  ['of many operations', manyOperations],
])('small plans of documents %s leave room for fewer', (_title, write) => {
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

test('what cannot be compiled is tried once, and left to graphql-js', () => {
  const findPlan = createPlanCache(schema)
  const operation = prepare('{ __schema { queryType { name } } }')
  expect(execute(findPlan, operation, 100)).not.toContain(true)
})
