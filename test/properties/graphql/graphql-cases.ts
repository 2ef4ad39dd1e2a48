import fc from 'fast-check'
import { chosen } from '../values/chooser.ts'
import { wildJson, wildJsonText } from '../values/wild-json.ts'
import { jsonBodies, noBody, perhapsDamaged, rarely, type WireBody } from '../wire/wire-bodies.ts'
import { type WireCase, wireCases } from '../wire/wire-case.ts'
import { chooseParams, type Params } from './graphql-documents.ts'

const accept = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'application/json',
      'application/graphql-response+json',
      'application/graphql-response+json, application/json;q=0.5',
      '*/*',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'text/event-stream',
      'multipart/mixed',
      'application/xml',
      'text/plain',
      'application/json;q=0',
      'application/*',
      'text/event-stream, application/json',
      'application/json; charset=utf-16',
      ';q=1',
      ',',
      'a/b/c',
      '*/*;q=0',
    ),
  },
)

const headers = fc
  .option(accept, { nil: null })
  .map(value => (value === null ? [] : [['Accept', value] as const]))

const post = fc.constant('POST')
const url = fc.constant('/graphql')

const params = chosen(chooseParams)

const asBody = ({ query, ...rest }: Params): WireBody => ({
  bytes: Buffer.from(JSON.stringify({ query, ...rest })),
  contentType: 'application/json',
  chunked: false,
})

const asQuery = ({ query, variables, operationName }: Params) => {
  const given = new URLSearchParams({ query })
  if (variables !== undefined) given.set('variables', JSON.stringify(variables))
  if (operationName !== undefined) given.set('operationName', operationName)
  return `/graphql?${given}`
}

/** Documents made from the schema, by POST and by GET. */
export const graphqlCase: fc.Arbitrary<WireCase> = fc.oneof(
  { weight: 3, arbitrary: wireCases({ method: post, target: url, body: params.map(asBody), headers }) },
  {
    weight: 1,
    arbitrary: wireCases({
      method: fc.constant('GET'),
      target: params.map(asQuery),
      body: noBody,
      headers,
    }),
  },
)

const shortQuery = fc.constantFrom(
  '{ viewer { accountCode } }',
  'query ($id: ID!) { user(id: $id) { id } }',
  'query ($ids: [ID!]!) { teamMemberships(ids: $ids) { id } }',
  'query A { viewer { scopes } } query B { viewer { email } }',
  'mutation ($id: ID!) { removeTeamMembership(id: $id) { id } }',
  'query ($size: Int) { user(id: 1) { memberships(first: $size) { nodes { id } } } }',
  '{ __schema { types { name fields { name } } } }',
)

const looseParams = fc.record(
  {
    query: shortQuery,
    variables: fc.oneof(fc.record({ id: wildJson, ids: wildJson, size: wildJson }), wildJson),
    operationName: fc.oneof(fc.constantFrom(null, '', 'A', 'B', 'C', '__proto__'), wildJson),
    extensions: fc.oneof(fc.constant({ persistedQuery: { version: 1, sha256Hash: 'x' } }), wildJson),
  },
  { requiredKeys: ['query'] },
)

const batch = fc.array(looseParams, { maxLength: 3 })

const looseBody = fc.oneof(
  { weight: 5, arbitrary: jsonBodies(looseParams) },
  { weight: 1, arbitrary: jsonBodies(batch) },
  {
    weight: 1,
    arbitrary: fc.record({
      bytes: perhapsDamaged(fc.oneof(shortQuery, wildJsonText)),
      contentType: fc.constantFrom('application/graphql', 'application/json', 'text/plain', null),
      chunked: rarely,
    }),
  },
)

const queryString = fc
  .array(
    fc.tuple(
      fc.constantFrom('query', 'query', 'variables', 'operationName', 'extensions', '__proto__', 'x', ''),
      fc.oneof(
        shortQuery,
        wildJsonText.filter(text => text.length < 5_000),
        fc.string({ maxLength: 10 }),
      ),
    ),
    { maxLength: 4 },
  )
  .map(
    fields => `/graphql?${new URLSearchParams(fields.map(([name, value]) => [name, value.toWellFormed()]))}`,
  )

/** Requests whose parameters are of all shapes, whatever their documents. */
export const paramsCase: fc.Arbitrary<WireCase> = fc.oneof(
  { weight: 3, arbitrary: wireCases({ method: post, target: url, body: looseBody, headers }) },
  {
    weight: 1,
    arbitrary: wireCases({ method: fc.constant('GET'), target: queryString, body: noBody, headers }),
  },
  {
    weight: 1,
    arbitrary: wireCases({
      method: fc.constantFrom('PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE'),
      target: fc.oneof(url, queryString),
      body: fc.oneof(noBody, looseBody),
      headers,
    }),
  },
)

const token = fc.constantFrom(
  ...'{ } ( ) [ ] : = | & ! $ @ ... , # query mutation subscription fragment on true false null'.split(' '),
  ...'viewer user teamMemberships id ids $id @include(if: addTeamMembership __schema __typename schema'.split(
    ' ',
  ),
  ...['"x"', '"', '"""', '"""\n', '\\u0041', '"\\ud800"', '1', '-0', '01', '1e5', '1.', '\n', '\r', '\ufeff'],
  ...['é', '\0', '\u2028', '😀', 'type Query { a: Int }', 'extend', 'input', '{ viewer { email } }', '#\n'],
)

/** Texts that are tokens of GraphQL, in an order that is hardly ever a document. */
export const tokensCase: fc.Arbitrary<WireCase> = wireCases({
  method: post,
  target: url,
  body: fc.array(token, { maxLength: 40, size: 'max' }).map(tokens => asBody({ query: tokens.join(' ') })),
  headers,
})
