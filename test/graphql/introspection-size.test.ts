import {
  executeSync,
  getIntrospectionQuery,
  getOperationAST,
  isIntrospectionType,
  isObjectType,
  parse,
} from 'graphql'
import { expect, test } from 'vitest'
import { bounds } from '../../src/graphql/bounds/bounds.ts'
import {
  createIntrospectionMeasure,
  type IntrospectionSize,
} from '../../src/graphql/bounds/introspection-size.ts'
import { fragmentsOf } from '../../src/graphql/bounds/measure-selections.ts'
import { schema } from '../../src/schema/index.ts'

const measure = createIntrospectionMeasure(schema)

function measureText(query: string): IntrospectionSize {
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
  `{ __schema { ...s } } fragment s on __Schema { ${aliases(9, 'types { ...d }')} }
    fragment d on __Type { ${aliases(9, 'description')} }`,
  '{ __type(name: "Nobody") { name } }',
])('the answer of %.90s is estimated a little longer than it is', query => {
  const bytes = answered(query)
  expect(measureText(query).bytes).toBeGreaterThanOrEqual(bytes - '{"data":{}}'.length)
  expect(measureText(query).bytes).toBeLessThan(1.1 * bytes + 200)
})

test('fields other than introspection are not measured', () => {
  expect(measureText('{ __typename viewer { email } user(id: 1) { id } }')).toEqual({ fields: 0, bytes: 0 })
  expect(measureText('mutation { removeTeamMembership(id: 1) { id } }')).toEqual({ fields: 0, bytes: 0 })
})

test('a type named by a variable counts as all types, and a condition as true', () => {
  const named =
    'query ($n: String!, $i: Boolean!) { __type(name: $n) { fields @include(if: $i) { name description } } }'
  const all = Object.keys(schema.getTypeMap()).map(
    n => answered(named, { n, i: true }) - '{"data":{}}'.length,
  )
  expect(measureText(named).bytes).toBeGreaterThanOrEqual(all.reduce((sum, bytes) => sum + bytes))
})

const fields = (depth: number): string =>
  depth === 0 ? 'name' : `fields { name type { ${fields(depth - 1)} } }`
const ofTypes = (depth: number): string => (depth === 0 ? 'kind' : `kind ofType { ${ofTypes(depth - 1)} }`)
// Each fragment spreads the next one three times: 3 to the power of 30 ways through the document.
const spreads = Array.from(
  { length: 30 },
  (_, i) => `fragment f${i} on __Schema { ${'...f'.concat(`${i + 1} `).repeat(3)} }`,
).join(' ')

test.each([
  ['aliases of lists', `{ __schema { ${aliases(50, 'types { fields { name description } }')} } }`],
  ['fields of the types of fields', `{ __schema { types { ${aliases(30, fields(5))} } } }`],
  [
    'deep wrappings under many aliases',
    `{ __schema { types { ${aliases(60, `fields { type { ${ofTypes(20)} } }`)} } } }`,
  ],
  ['names from variables', `query ($n: String!) { ${aliases(50, `__type(name: $n) { ${fields(4)} }`)} }`],
])('%s are measured no further than the bound', (_, query) => {
  const resolved = countResolverCalls(() => {
    expect(measureText(query).fields).toBe(Number.POSITIVE_INFINITY)
  })
  expect(resolved).toBeLessThan(1.1 * bounds.introspectionFields)
})

test('fragments that are spread again and again are measured once', () => {
  const query = `{ __schema { ...f0 } } ${spreads} fragment f30 on __Schema { types { name } }`
  expect(measureText(query)).toEqual(measureText('{ __schema { types { name } } }'))
})

test('an answer has as many fields as were measured', () => {
  const query = getIntrospectionQuery()
  expect(measureText(query).fields).toBe(countFields(executeSync({ schema, document: parse(query) }).data))
})

function countFields(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const below = Object.values(value).reduce((sum: number, each) => sum + countFields(each), 0)
  return below + (Array.isArray(value) ? 0 : Object.keys(value).length)
}

// Calls of introspection's own resolvers while `work` runs.
function countResolverCalls(work: () => void): number {
  const introspection = Object.values(schema.getTypeMap()).filter(isIntrospectionType)
  const fields = introspection.flatMap(type => (isObjectType(type) ? Object.values(type.getFields()) : []))
  let calls = 0
  const restore = fields.map(field => {
    const { resolve } = field
    if (resolve === undefined) return () => undefined
    field.resolve = (...parts) => {
      calls += 1
      return resolve(...parts)
    }
    return () => {
      field.resolve = resolve
    }
  })
  try {
    work()
  } finally {
    for (const each of restore) each()
  }
  return calls
}
