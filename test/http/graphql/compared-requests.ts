import type { TestRequest } from '../edge/start-app.ts'

/** A request to `/graphql` and its query string; `as` names whose token goes with it. */
export interface ComparedRequest extends Omit<TestRequest, 'token'> {
  readonly target?: string
  readonly as?: 'admin' | 'reader' | 'writer' | 'stranger' | 'nobody'
}

const query = '{ viewer { accountCode scopes } }'
const specific = 'application/graphql-response+json'
const post = (body: unknown, rest: Omit<ComparedRequest, 'body'> = {}): ComparedRequest => ({
  method: 'POST',
  body,
  ...rest,
})
const typed = (type: string, body: unknown = { query }) => post(body, { headers: { 'content-type': type } })
const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

const wellFormed: readonly ComparedRequest[] = [
  post({ query }),
  post({ query, variables: null, operationName: null, extensions: null }),
  post({ query, variables: {}, extensions: { a: [1] }, operationName: undefined }),
  post({ query: 'query A { __typename } query B { viewer { email } }', operationName: 'B' }),
  post({
    query: 'query ($id: ID!) { teamMembership(id: $id) { id user { id email } } }',
    variables: { id: 1 },
  }),
  post({
    query: 'query ($id: ID!) { a: teamMembership(id: $id) { id } }',
    variables: { id: '404', more: [1] },
  }),
  post({
    query: 'query ($ids: [ID!]!) { teamMemberships(ids: $ids) { id teamId } }',
    variables: { ids: ids(3) },
  }),
  post({
    query: 'query ($n: Int) { user(id: 7) { memberships(first: $n) { nodes { id } } } }',
    variables: { n: 1 },
  }),
  post({ query: '{ __schema { queryType { name } } __type(name: "User") { name } }' }),
  post({
    query: 'query ($if: Boolean!) { viewer { email @include(if: $if) userId } }',
    variables: { if: false },
  }),
  post({ query: 'mutation { addTeamMembership(input: { userId: 70, teamId: 30 }) { id user { id } } }' }),
  post({
    query:
      'mutation { a: saveTeam(input: { id: 4, name: "x" }) { name } b: saveTeam(input: { id: 4 }) { name } }',
  }),
  post({
    query: 'mutation ($t: String) { saveTeam(input: { id: 4, name: $t }) { name } }',
    variables: { t: 'é\u2028😀' },
  }),
]

const refused: readonly ComparedRequest[] = [
  post({ query: '{' }),
  post({ query: '' }),
  post({ query: '# nothing' }),
  post({ query: '{ nothing }' }),
  post({ query: '{ viewer }' }),
  post({ query: 'query A { __typename } query B { __typename }' }),
  post({ query, operationName: 'None' }),
  post({ query, operationName: '' }),
  post({ query: 'subscription { x }' }),
  post({ query: '{ teamMembership(id: 1) { id } teamMembership(id: 2) { id } }' }),
  post({ query: 'query ($id: ID!) { teamMembership(id: $id) { id } }' }),
  post({ query: 'query ($id: ID!) { teamMembership(id: $id) { id } }', variables: { id: {} } }),
  post({ query: 'query ($id: ID!) { teamMembership(id: $id) { id } }', variables: { id: null } }),
  post({
    query: 'query ($id: ID!) { teamMembership(id: $id) { id } }',
    variables: { id: 'x'.repeat(3_000) },
  }),
  post({ query: '{ teamMembership(id: "0") { id } user(id: 7) { id } }' }),
  post({ query: '{ teamMemberships(ids: [1, -1]) { id } user(id: 7) { id } }' }),
  post({ query: '{ user(id: 7) { memberships(first: -1) { nodes { id } } } }' }),
  post({ query: 'mutation { addTeamMembership(input: { userId: 7, teamId: 3 }) { id } }' }),
  post({ query: 'mutation { removeTeamMembership(id: 404) { id } viewer: __typename }' }),
  post({ query: 'mutation { saveUser(input: { id: 7, email: "none" }) { id } }' }),
  post({ query: 'mutation { moveTeamMembership(id: 1, input: {}, ifVersions: [9]) { id } }' }),
  post({ query: 'query ($i: [ID!]!) { teamMemberships(ids: $i) { id } }', variables: { i: ids(1_001) } }),
  post({ query: 'query ($i: [ID!]!) { teamMemberships(ids: $i) { id } }', variables: { i: ids(6_000) } }),
  post({ query: `{ ${ids(101).map(id => `a${id}: viewer { userId }`)} }` }),
  post({ query: `{ ${ids(51).map(id => `f${id}: __typename`)} }` }),
  post({
    query: `{ user(id: 7) ${'{ memberships { nodes { user '.repeat(6)} { id } ${'} } } '.repeat(6)} }`,
  }),
  post({ query: `{ ${'x '.repeat(5_001)} }` }),
]

const byScope: readonly ComparedRequest[] = (['reader', 'writer', 'stranger', 'nobody'] as const).flatMap(
  as => [
    post({ query: '{ teamMembership(id: 1) { id user { id } } }' }, { as }),
    post({ query: '{ a: teamMembership(id: 1) { id } b: viewer { userId } }' }, { as }),
    post(
      { query: '{ a: teamMembership(id: 1) { id } b: user(id: 7) { id } }' },
      { as, headers: { accept: specific } },
    ),
    post({ query: 'mutation { saveTeam(input: { id: 9 }) { id } }' }, { as }),
    post(
      { query: 'mutation { moveTeamMembership(id: 1, input: { teamId: 3 }) { id team { id } } }' },
      { as },
    ),
  ],
)

const bodies: readonly ComparedRequest[] = [
  ...['{"query":', '', '[]', 'null', '1', '"x"', '[{"query":"{ __typename }"}]', '{}', '{"query":null}'].map(
    body => post(body),
  ),
  ...['{"query":1}', '{"query":["{"]}', '{"query":"{ __typename }","variables":[]}'].map(body => post(body)),
  ...['"{}"', '1', 'true', '[{}]'].map(value => post(`{"query":"{ __typename }","variables":${value}}`)),
  ...['1', '{}', '[]', 'true'].map(value => post(`{"query":"{ __typename }","operationName":${value}}`)),
  ...['1', '"x"', '[]'].map(value => post(`{"query":"{ __typename }","extensions":${value}}`)),
  post('{"query":"{ __typename }","more":1}'),
  post('{"query":"{ __typename }","more":null}'),
  post('{"query":"{ __typename }","id":"x","map":{}}'),
  post('{"query":"{ nothing }","query":"{ __typename }"}'),
  post('{"query":"{ __typename }","__proto__":{"query":1}}'),
  post('{"query":"{ __typename }","variables":{"__proto__":1}}'),
  post('{"query":"{ __typename }","constructor":1}'),
  post('\ufeff{"query":"{ __typename }"}'),
  post(`{"query":"{ __typename }","variables":${'['.repeat(3_000)}${']'.repeat(3_000)}}`),
]

const types: readonly ComparedRequest[] = [
  typed('application/json; charset=utf-8'),
  typed('application/json;charset=utf-8'),
  typed('Application/JSON; Charset="UTF-8"'),
  typed('application/json; charset=utf-16'),
  typed('application/json; x=1'),
  typed('application/json;'),
  typed('application/graphql+json'),
  typed('application/graphql', query),
  typed('application/x-www-form-urlencoded', 'query={__typename}'),
  typed('text/plain', query),
]

const accepts: readonly ComparedRequest[] = [
  '*/*',
  'application/*',
  'application/json',
  specific,
  `${specific}, application/json;q=0.5`,
  `${specific};q=0.1, application/json`,
  'application/json;charset=utf-8',
  'application/json; charset=utf-16',
  'text/event-stream, application/json',
  'text/plain',
  ';q=1',
].flatMap(accept => [
  post({ query }, { headers: { accept } }),
  post({ query: '{ nothing }' }, { headers: { accept } }),
  post({ query: '{' }, { headers: { accept } }),
  post({ query: `{ ${ids(51).map(id => `f${id}: __typename`)} }` }, { headers: { accept } }),
])

const others: readonly ComparedRequest[] = [
  { target: `?query=${encodeURIComponent(query)}` },
  { target: '?query=mutation{saveTeam(input:{id:1}){id}}' },
  { target: '?query={__typename}&variables={' },
  post({ query }, { target: '?query={nothing}&x=1' }),
]

/** Requests of every kind that there is, in an order that two servers can both follow from the same start. */
export const comparedRequests: readonly ComparedRequest[] = [
  ...wellFormed,
  ...refused,
  ...byScope,
  ...bodies,
  ...types,
  ...accepts,
  ...others,
]
