import { setImmediate as later } from 'node:timers/promises'
import fc from 'fast-check'
import {
  execute,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getOperationAST,
  isObjectType,
  parse,
  validate,
} from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RequestContext } from '../../src/context.ts'
import { Pace } from '../../src/fairness/pace.ts'
import { compileOperation } from '../../src/graphql/plan/compile-operation.ts'
import { executePlan } from '../../src/graphql/plan/execute-plan.ts'
import { timeLimitMs, totalCases } from '../properties/plan/property-plan.ts'
import { type Chooser, chosen } from '../properties/values/chooser.ts'
import { createOddSchema } from './odd-schema.ts'

const schema = createOddSchema()
const createContext = () => ({ pace: new Pace(async () => undefined) }) as RequestContext

type Variables = Readonly<Record<string, unknown>>

interface Case {
  readonly query: string
  readonly variables: Variables
}

function compile(query: string) {
  const document = parse(query)
  expect(validate(schema, document)).toEqual([])
  const operation = getOperationAST(document)
  if (!operation) throw new Error('expected one operation')
  return { document, plan: compileOperation({ schema, document, operation }) }
}

// Includes the cause of each error, which decides how it is masked.
function describeResult(result: Awaited<ReturnType<typeof execute>> | null) {
  const causes = result?.errors?.map(({ originalError }) => [originalError?.name, originalError?.message])
  return { text: JSON.stringify(result), causes }
}

const values: Readonly<Record<string, readonly unknown[]>> = {
  Int: [1, 0, -0, -(2 ** 31), 2 ** 31 - 1, 2 ** 31, 1.5, '1', null],
  Float: [1, 1.5, -0, 1e300, '1', true, null],
  ID: ['a', '', 7, 1e21, 1.5, true, null],
  String: ['text', '', 1, null],
  Boolean: [true, false, 'true', 0, null],
  Color: ['RED', 'BLUE', 1, null],
}

function chooseValue(choose: Chooser, type: string): unknown {
  if (choose.oneIn(12)) return choose.pick([null, [], {}, [[1]], 'x', 3, { x: { y: 1 } }])
  if (type.endsWith('!')) return chooseValue(choose, type.slice(0, -1))
  if (type.startsWith('[')) {
    const item = type.slice(1, -1)
    if (choose.oneIn(5)) return chooseValue(choose, item)
    return Array.from({ length: choose.upTo(3) }, () => chooseValue(choose, item))
  }
  if (type !== 'Point') return choose.pick(values[type] ?? [])
  const fields = { x: 'Int', y: 'Float', tags: '[String!]', color: 'Color', id: 'ID', next: 'Point' }
  const given = Object.entries(fields).filter(([name]) => (name === 'x' ? !choose.oneIn(8) : choose.oneIn(4)))
  const point = Object.fromEntries(given.map(([name, of]) => [name, chooseValue(choose, of)]))
  return choose.oneIn(15) ? { ...point, constructor: 1 } : point
}

const argumentTypes: Readonly<Record<string, readonly [name: string, type: string][]>> = {
  echo: [
    ['point', 'Point'],
    ['points', '[Point!]'],
    ['ids', '[ID!]'],
    ['text', 'String'],
    ['int', 'Int'],
    ['flag', 'Boolean'],
    ['color', 'Color'],
  ],
}

const literals: Readonly<Record<string, string>> = {
  Point: '{ x: 1, next: { x: 2, tags: ["a"] } }',
  '[Point!]': '[{ x: 1 }]',
  '[ID!]': '[1, "b"]',
  String: '"""block"""',
  Int: '3',
  Boolean: 'false',
  Color: 'GREEN',
}

/** A valid operation of the odd schema with variables that usually fit. */
function chooseCase(choose: Chooser): Case {
  const declared: string[] = []
  const variables: Record<string, unknown> = {}
  const fragments: string[] = []

  function declare(type: string): string {
    const name = `v${declared.length}`
    const byDefault = literals[type] !== undefined && choose.oneIn(6) ? ` = ${literals[type]}` : ''
    declared.push(`$${name}: ${type}${byDefault}`)
    if (!choose.oneIn(8)) variables[name] = chooseValue(choose, type)
    return `$${name}`
  }

  function writeArguments(field: GraphQLField<unknown, unknown>): string {
    const all = field.name === 'echo' ? (argumentTypes.echo ?? []) : []
    const given = all.filter(([name]) => field.args.some(argument => argument.name === name))
    const written = given.flatMap(([name, type]) => {
      const of = String(field.args.find(argument => argument.name === name)?.type)
      if (!of.endsWith('!') && !choose.oneIn(3)) return []
      const value = choose.oneIn(3)
        ? declare(of)
        : name === 'point' && choose.oneIn(3)
          ? `{ x: ${declare('Int!')}, y: 2 }`
          : literals[type]
      return [`${name}: ${value}`]
    })
    if (field.name === 'echoAll') written.push(choose.oneIn(2) ? `ids: ${declare('[ID!]!')}` : 'ids: [1]')
    return written.length === 0 ? '' : `(${written.join(', ')})`
  }

  let aliases = 0
  function writeField(type: GraphQLObjectType, depth: number): string {
    const fields = Object.values(type.getFields()).filter(
      ({ type: of }) => depth < 4 || !isObjectType(getNamedType(of)),
    )
    const field = choose.pick(fields)
    if (field === undefined) return '__typename'
    const below = getNamedType(field.type)
    const given = writeArguments(field)
    // Fields of one name must not differ in their arguments.
    const alias = given !== '' || choose.oneIn(4) ? `a${aliases++}: ` : ''
    return `${alias}${field.name}${given}${isObjectType(below) ? ` ${writeSet(below, depth + 1)}` : ''}`
  }

  function writeSelection(type: GraphQLObjectType, depth: number): string {
    if (choose.oneIn(15)) return '__typename'
    if (choose.oneIn(12))
      return `... @include(if: ${choose.pick(['true', 'false'])}) ${writeSet(type, depth + 1)}`
    if (choose.oneIn(12)) {
      const name = `F${fragments.length}`
      const place = fragments.push('') - 1
      fragments[place] = `fragment ${name} on ${type.name} { ${writeField(type, depth + 1)} }`
      return `...${name} ...${name}`
    }
    return writeField(type, depth)
  }

  function writeSet(type: GraphQLObjectType, depth: number): string {
    const count = 1 + choose.upTo(3)
    return `{ ${Array.from({ length: count }, () => writeSelection(type, depth)).join(' ')} }`
  }

  const kind = choose.pick(['query', 'query', 'mutation'] as const)
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType()
  const body = root == null ? '{ __typename }' : writeSet(root, 0)
  const heading = declared.length === 0 ? '' : `(${declared.join(', ')})`
  return { query: `${kind} ${heading} ${body} ${fragments.join(' ')}`, variables }
}

// graphql-js leaves promises unhandled if a list fails synchronously after starting some. Plans must not.
let unheard = 0
let own: NodeJS.UnhandledRejectionListener[] = []
const count = () => void unheard++

beforeAll(() => {
  own = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', count)
})
afterAll(() => {
  process.removeListener('unhandledRejection', count)
  for (const listener of own) process.on('unhandledRejection', listener)
})

test('a plan and graphql-js give the same answers, with errors in the same order', {
  timeout: timeLimitMs,
}, async () => {
  const numRuns = Math.min(totalCases, 3_000)
  let executed = 0
  let failed = 0
  await fc.assert(
    fc.asyncProperty(chosen(chooseCase), async ({ query, variables }) => {
      const { document, plan } = compile(query)
      if (plan === null) return
      const result = await executePlan(plan, createContext(), variables)
      // Left to graphql-js before any resolver ran.
      if (result === null) return
      const expected = await execute({
        schema,
        document,
        contextValue: createContext(),
        variableValues: variables,
      })
      executed += 1
      if (expected.errors !== undefined) failed += 1
      expect(describeResult(result)).toEqual(describeResult(expected))
    }),
    { numRuns, seed: 20_261_120 },
  )
  expect(executed).toBeGreaterThan(numRuns / 2)
  expect(failed).toBeGreaterThan(numRuns / 6)
})

test('a plan leaves no promise unhandled, whatever fails beside it', async () => {
  await later()
  unheard = 0
  const plans = fc.sample(chosen(chooseCase), { numRuns: 1_000, seed: 7 })
  for (const { query, variables } of plans) {
    const { plan } = compile(query)
    if (plan !== null) await executePlan(plan, createContext(), variables)
  }
  for (let turns = 0; turns < 5; turns++) await later()
  expect(unheard).toBe(0)
})

test('wrong variables are left to graphql-js before any resolver runs', async () => {
  const query = 'query ($point: Point!) { a: echo(point: $point) node { id } }'
  const { plan } = compile(query)
  if (plan === null) throw new Error('expected a plan')
  for (const point of [
    null,
    1,
    'x',
    [],
    {},
    { x: '1' },
    { x: 1, z: 1 },
    { x: 1, next: {} },
    { x: 2 ** 31 },
  ]) {
    expect(executePlan(plan, createContext(), { point })).toBe(null)
  }
  expect(executePlan(plan, createContext(), {})).toBe(null)
})

test.each([
  ['introspection', '{ __schema { types { name } } node { id } }'],
  ['a condition on a variable', 'query ($if: Boolean!) { node @include(if: $if) { id } }'],
  ['a name that objects treat as their own', '{ __proto__: node { id } }'],
  ['a variable of such a name', 'query ($__proto__: ID!) { node { echoAll(ids: [$__proto__]) } }'],
])('%s is left to graphql-js', (_title, query) => {
  expect(compile(query).plan).toBe(null)
})

test('a default that is an object or a list is made again for each request', () => {
  const { plan } = compile(
    'query ($point: Point = { x: 1 }, $ids: [ID!] = ["a"]) { echo(point: $point) node { echoAll(ids: $ids) } }',
  )
  const [first, second] = [plan?.coerceVariables({}), plan?.coerceVariables({})] as Variables[]
  expect(first).toEqual({ point: { x: 1, y: 1.5 }, ids: ['a'] })
  expect(second).toEqual(first)
  expect([second?.point === first?.point, second?.ids === first?.ids]).toEqual([false, false])
  expect(plan?.coerceVariables({ ids: ['b'], point: null })).toEqual({ point: null, ids: ['b'] })
})

test('fragments that expand to more fields than a plan allows are left to graphql-js', () => {
  const spread = (level: number) =>
    `fragment F${level} on Node { a: node { ...F${level + 1} } b: node { ...F${level + 1} } }`
  const fragments = Array.from({ length: 12 }, (_, level) => spread(level)).join(' ')
  expect(compile(`{ node { ...F0 } } ${fragments} fragment F12 on Node { id }`).plan).toBe(null)
})

test('constant arguments cannot be changed for the next request', async () => {
  const { plan } = compile('{ echo(point: { x: 1, tags: ["a"] }, ids: ["1"]) }')
  const [field] = plan?.root.fields ?? []
  const given = field?.readArguments({})
  expect(given).toEqual({ point: { x: 1, y: 1.5, tags: ['a'] }, ids: ['1'] })
  expect([given, given?.point, given?.ids].every(value => Object.isFrozen(value))).toBe(true)
})
