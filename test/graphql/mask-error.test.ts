import { buildSchema, execute, GraphQLError, graphql, parse } from 'graphql'
import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { RostrumError } from '../../src/errors.ts'
import { maskError } from '../../src/graphql/mask-error.ts'
import { maskResult, toGraphqlError } from '../../src/graphql/mask-result.ts'

let logged: string[]

beforeEach(() => {
  logged = []
})

const mask = (error: unknown) =>
  maskError(error, { requestId: 'r-1', log: pino({}, { write: line => logged.push(line) }) })

const maskGraphql = (error: unknown) =>
  maskResult({ errors: [error] }, { requestId: 'r-1', log: pino({}, { write: line => logged.push(line) }) })
    .result.errors?.[0]

test('an expected failure passes whole and is not logged', () => {
  const error = new RostrumError('CONFLICT', 'There is one.', {
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
])('%s is answered blank with the request id, and logged whole', (_title, error) => {
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

const tiny = buildSchema('type Query { number: Int, echo(text: String!): String }')

async function run(source: string, rootValue: unknown = {}) {
  const result = await graphql({ schema: tiny, source, rootValue })
  return mask(result.errors?.[0])
}

test("faults of the document are the caller's, wherever graphql-js finds them", async () => {
  expect((await run('{ nothing }')).code).toBe('BAD_USER_INPUT')
  expect((await run('{ echo(')).code).toBe('BAD_USER_INPUT')
  // Only execution can see that a variable with a default was given null where text must be.
  const document = parse('query ($text: String = "") { echo(text: $text) }')
  const result = await execute({ schema: tiny, document, variableValues: { text: null } })
  expect(result.errors?.[0]?.path).toEqual(['echo'])
  expect(mask(result.errors?.[0]).code).toBe('BAD_USER_INPUT')
  // Variables that do not fit are found before any field.
  const misfit = await execute({ schema: tiny, document, variableValues: { text: {} } })
  expect(mask(misfit.errors?.[0]).message).toContain('String cannot represent')
  expect(logged).toEqual([])
})

test('a value of ours that does not fit its type is our own fault', async () => {
  expect((await run('{ number }', { number: 'seven' })).code).toBe('INTERNAL')
  expect(logged[0]).toContain('Int cannot represent')
})

test('a GraphQL error keeps its path and place, and carries code, bad fields and facts', () => {
  const originalError = new RostrumError('BAD_USER_INPUT', 'Bad.', {
    fields: [{ pointer: '/email', detail: 'must be one' }],
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

test('a masked error says when to come back', () => {
  const error = toGraphqlError(mask(new RostrumError('OVERLOADED', 'Later.', { retryAfterSeconds: 3 })))
  expect(error.extensions).toEqual({ code: 'OVERLOADED', retryAfterSeconds: 3 })
})

test('a fault that fails many fields is one line of the log, for each request that it fails', () => {
  const log = pino({}, { write: line => logged.push(line) })
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
