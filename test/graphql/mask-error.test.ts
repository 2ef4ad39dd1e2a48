import { buildSchema, execute, GraphQLError, graphql, parse } from 'graphql'
import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { BoundLog } from '../../src/bound-log.ts'
import { RostrumError } from '../../src/errors.ts'
import { maskError } from '../../src/graphql/mask-error.ts'
import { maskResult, toGraphqlError } from '../../src/graphql/mask-result.ts'
import { readStored } from '../../src/json/read-stored.ts'

let logged: string[]

beforeEach(() => {
  logged = []
})

const createLog = () => new BoundLog(pino({}, { write: line => logged.push(line) }))

const mask = (error: unknown) => maskError(error, { requestId: 'r-1', log: createLog() })

const maskGraphql = (error: unknown) =>
  maskResult({ errors: [error] }, { requestId: 'r-1', log: createLog() }).result.errors?.[0]

test('an expected failure passes unchanged and is not logged', () => {
  const error = new RostrumError('CONFLICT', 'There is one.', {
    reason: 'PAIR_EXISTS',
    facts: { existingId: 5 },
    retryAfterSeconds: 2,
  })
  expect(mask(error)).toMatchObject({ code: 'CONFLICT', message: 'There is one.', retryAfterSeconds: 2 })
  expect(mask(new GraphQLError(error.message, { originalError: error }))).toMatchObject({
    facts: { existingId: 5 },
  })
  expect(logged).toEqual([])
})

test.each([
  ['an error', new Error('SQLITE_CORRUPT in /srv/data.db')],
  ['text', 'secret text'],
  ['nothing', undefined],
  ['a resolver error', new GraphQLError('secret', { originalError: new Error('secret'), path: ['user'] })],
])('%s is answered without detail, and logged in full under the request id', (_title, error) => {
  const masked = mask(error)
  const { code, message, fields, facts, retryAfterSeconds, cause } = masked
  expect({ code, message, fields, facts, retryAfterSeconds, cause }).toEqual({
    cause: undefined,
    code: 'INTERNAL',
    message: 'Something went wrong; the log has the details under request `r-1`.',
    fields: [],
    facts: {},
    retryAfterSeconds: undefined,
  })
  expect(logged).toHaveLength(1)
  const text =
    error instanceof GraphQLError ? error.originalError?.message : error instanceof Error ? error.message : ''
  expect(logged[0]).toContain(text)
})

test('errors that name unreadable rows pass, and the first of a request is logged, without what is stored', () => {
  const log = createLog()
  for (const id of [7, 8]) {
    const read = () => readStored('{"password":hunter2', { table: 'cases', column: 'data', id })
    const message = `\`data\` of row \`${id}\` in the table \`cases\` cannot be read. Repair it, or delete the row.`
    expect(read).toThrow(message)
    try {
      read()
    } catch (error) {
      expect(maskError(error, { requestId: 'r-1', log })).toMatchObject({ code: 'INTERNAL', message })
    }
  }
  expect(logged).toEqual([
    expect.stringMatching(/row `7` in the table `cases` cannot be read.*unexpected error/),
  ])
  expect(logged[0]).not.toContain('hunter2')
})

const tiny = buildSchema('type Query { number: Int, echo(text: String!): String }')

async function run(source: string, rootValue: unknown = {}) {
  const result = await graphql({ schema: tiny, source, rootValue })
  return mask(result.errors?.[0])
}

test("errors in the document are the caller's, in every phase of graphql-js", async () => {
  expect((await run('{ nothing }')).code).toBe('BAD_USER_INPUT')
  expect((await run('{ echo(')).code).toBe('BAD_USER_INPUT')
  // Only execution detects null in a variable with a default for a non-null argument.
  const document = parse('query ($text: String = "") { echo(text: $text) }')
  const result = await execute({ schema: tiny, document, variableValues: { text: null } })
  expect(result.errors?.[0]?.path).toEqual(['echo'])
  expect(mask(result.errors?.[0]).code).toBe('BAD_USER_INPUT')
  // Wrong variables are found before any field.
  const misfit = await execute({ schema: tiny, document, variableValues: { text: {} } })
  expect(mask(misfit.errors?.[0]).message).toContain('String cannot represent')
  expect(logged).toEqual([])
})

test('a value of a resolver that does not fit its type is an internal error', async () => {
  expect((await run('{ number }', { number: 'seven' })).code).toBe('INTERNAL')
  expect(logged[0]).toContain('Int cannot represent')
})

test('a GraphQL error keeps its path and locations, and has code, bad fields and facts', () => {
  const originalError = new RostrumError('BAD_USER_INPUT', 'Bad.', {
    fields: [{ pointer: '/email', detail: 'must be one' }],
    // @ts-expect-error -- the types refuse a fact of this name
    facts: { code: 'FORGED', bound: 'x' },
  })
  const error = maskGraphql(new GraphQLError('Bad.', { originalError, path: ['saveUser'] }))
  expect(error?.toJSON()).toEqual({
    message: 'Bad.',
    path: ['saveUser'],
    extensions: {
      code: 'BAD_USER_INPUT',
      bound: 'x',
      errors: [{ pointer: '/email', detail: 'must be one' }],
    },
  })
  expect(error?.originalError).toBeUndefined()
})

test('a masked error says when to retry', () => {
  const error = toGraphqlError(mask(new RostrumError('OVERLOADED', 'Later.', { retryAfterSeconds: 3 })))
  expect(error.extensions).toEqual({ code: 'OVERLOADED', retryAfterSeconds: 3 })
})

test('a fault that fails many fields is logged once for each request', () => {
  const log = createLog()
  const fault = new RostrumError('UNAVAILABLE', 'Nothing was changed.', { cause: new Error('disk full') })
  const errors = ['one', 'two', 'three'].map(
    field => new GraphQLError(fault.message, { originalError: fault, path: [field] }),
  )
  const unexpected = new Error('unexpected')
  for (const requestId of ['r-1', 'r-2']) {
    const { failures } = maskResult({ errors: [...errors, unexpected, unexpected] }, { requestId, log })
    maskError(failures[0], { requestId, log })
  }
  expect(logged.map(line => JSON.parse(line).err.message)).toEqual([
    'disk full',
    'unexpected',
    'disk full',
    'unexpected',
  ])
})
