import { executeSync, getIntrospectionQuery, getOperationAST, parse } from 'graphql'
import { expect, test } from 'vitest'
import { createIntrospectionMeasure } from '../../src/graphql/bounds/introspection-bytes.ts'
import { fragmentsOf } from '../../src/graphql/bounds/measure-selections.ts'
import { schema } from '../../src/schema/index.ts'

const measure = createIntrospectionMeasure(schema)

function measureText(query: string): number {
  const document = parse(query)
  const operation = getOperationAST(document)
  if (!operation) throw new Error('expected one operation')
  return measure({ operation, fragments: fragmentsOf(document) })
}

const answered = (query: string, variableValues = {}) =>
  Buffer.byteLength(JSON.stringify(executeSync({ schema, document: parse(query), variableValues })))

const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')

test.each([
  getIntrospectionQuery({ specifiedByUrl: true, inputValueDeprecation: true, schemaDescription: true }),
  '{ __schema { types { name kind description fields { name args { name defaultValue } } } } }',
  '{ __schema { directives { __typename name locations isRepeatable args { type { ofType { name } } } } } }',
  `{ __type(name: "Mutation") { ...t } }
    fragment t on __Type { fields { ... { name type { ...u } } } } fragment u on __Type { name }`,
  `{ __schema { ...s } } fragment s on __Schema { ${aliases(20, 'types { ...d }')} }
    fragment d on __Type { ${aliases(9, 'description')} }`,
  '{ __type(name: "Nobody") { name } }',
])('the answer of %.90s is estimated a little longer than it is', query => {
  const bytes = answered(query)
  expect(measureText(query)).toBeGreaterThanOrEqual(bytes - '{"data":{}}'.length)
  expect(measureText(query)).toBeLessThan(1.1 * bytes + 200)
})

test('fields other than introspection are not measured', () => {
  expect(measureText('{ __typename viewer { email } user(id: 1) { id } }')).toBe(0)
  expect(measureText('mutation { removeTeamMembership(id: 1) { id } }')).toBe(0)
})

test('a type named by a variable counts as the largest, and a condition as true', () => {
  const named =
    'query ($n: String!, $i: Boolean!) { __type(name: $n) { fields @include(if: $i) { name description } } }'
  const largest = Object.keys(schema.getTypeMap()).map(n => answered(named, { n, i: true }))
  expect(measureText(named)).toBeGreaterThanOrEqual(Math.max(...largest) - '{"data":{}}'.length)
})

test('an answer of gigabytes is measured without being made', () => {
  const nested = Array.from(
    { length: 6 },
    (_, i) =>
      `fragment f${i} on __Schema { ${aliases(9, 'types { name }')} ...f${i + 1} ...f${i + 1} ...f${i + 1} }`,
  )
  const wide =
    '{ __schema { types { fields { type { fields { type { fields { name description } } } } } } } }'
  expect(measureText(wide)).toBeGreaterThan(0)
  expect(
    measureText(
      `{ __schema { ...f0 } } ${nested.join(' ')} fragment f6 on __Schema { types { description } }`,
    ),
  ).toBeGreaterThan(2 * 2 ** 20)
})
