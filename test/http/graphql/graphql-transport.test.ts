import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp, type TestRequest } from '../edge/start-app.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.close())

const query = '{ viewer { accountCode } }'
const json = 'application/json'
const specific = 'application/graphql-response+json'
const post = (body: unknown, request: TestRequest = {}) =>
  app.send('/graphql', { method: 'POST', body, ...request })

describe('what is refused before GraphQL has the shape of GraphQL', () => {
  test.each<[string, number, string, () => ReturnType<typeof post>]>([
    ['no credential', 401, 'UNAUTHENTICATED', () => post({ query }, { token: null })],
    ['a bad credential', 401, 'UNAUTHENTICATED', () => post({ query }, { token: 'x' })],
    [
      'a form',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      () =>
        post('query={viewer{email}}', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    ],
    ['text', 415, 'UNSUPPORTED_MEDIA_TYPE', () => post(query, { headers: { 'content-type': 'text/plain' } })],
    [
      'application/graphql',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      () => post(query, { headers: { 'content-type': 'application/graphql' } }),
    ],
    [
      'multipart',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      () => post('--x--', { headers: { 'content-type': 'multipart/form-data; boundary=x' } }),
    ],
    [
      'a compressed body',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      () => post({ query }, { headers: { 'content-encoding': 'gzip' } }),
    ],
    ['a body of 3 MB', 413, 'PAYLOAD_TOO_LARGE', () => post({ query: `${query}#${'x'.repeat(3e6)}` })],
    ['broken JSON', 400, 'BAD_USER_INPUT', () => post('{"query":')],
    ['a batch', 400, 'BAD_USER_INPUT', () => post([{ query }, { query }])],
    ['JSON that is no object', 400, 'BAD_USER_INPUT', () => post('"query"')],
    ['no query', 400, 'BAD_USER_INPUT', () => post({})],
    ['a query that is no text', 400, 'BAD_USER_INPUT', () => post({ query: [query] })],
    ['variables that are a list', 400, 'BAD_USER_INPUT', () => post({ query, variables: [] })],
    ['variables that are text', 400, 'BAD_USER_INPUT', () => post({ query, variables: '{}' })],
    ['an operation name that is no text', 400, 'BAD_USER_INPUT', () => post({ query, operationName: {} })],
    [
      'a prototype',
      400,
      'BAD_USER_INPUT',
      () => post('{"query":"{__typename}","variables":{"__proto__":{"x":1}}}'),
    ],
    [
      'an answer nobody has',
      406,
      'BAD_USER_INPUT',
      () => post({ query }, { headers: { accept: 'image/png' } }),
    ],
    ['PUT', 405, 'METHOD_NOT_ALLOWED', () => app.send('/graphql', { method: 'PUT', body: { query } })],
    [
      'broken variables in a GET',
      400,
      'BAD_USER_INPUT',
      () => app.send(`/graphql?query=${query}&variables={`),
    ],
    [
      'a GET that gives two queries',
      400,
      'BAD_USER_INPUT',
      () => app.send(`/graphql?query=${query}&query=${query}`),
    ],
  ])('%s: %i %s', async (_title, status, code, ask) => {
    const answer = await ask()
    expect(answer.status).toBe(status)
    expect(answer.body.errors).toEqual([
      { message: expect.stringMatching(/\S/), extensions: expect.objectContaining({ code }) },
    ])
    expect(answer.body).not.toHaveProperty('data')
    expect(answer.headers.get('content-type')).toMatch(/^application\/(graphql-response\+)?json/)
    if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
    if (status === 405) expect(answer.headers.get('allow')).toBe('GET, POST')
  })
})

test('the error of a POST without a body says that it is empty', async () => {
  const message = 'The body is empty; send a JSON document.'
  for (const headers of [{}, { accept: specific }]) {
    const answer = await app.send('/graphql', { method: 'POST', headers })
    expect([answer.status, answer.body.errors[0].message]).toEqual([400, message])
  }
  const stream = await app.send('/graphql', { method: 'POST', headers: { accept: 'text/event-stream' } })
  expect(stream.text).toContain(message)
})

test.each([
  ['null', '`null`'],
  ['"{ viewer { userId } }"', '`"{ viewer { userId } }"`'],
  ['7', '`7`'],
])('the error of a POST of %s says that the body must be an object', async (body, kind) => {
  const headers = { 'content-type': 'application/json' }
  const answer = await app.send('/graphql', { method: 'POST', headers, body })
  const message = `The body must be a JSON object; it is ${kind}.`
  expect([answer.status, answer.body.errors[0].message]).toEqual([400, message])
})

test.each([
  ['text that does not parse', '{'],
  ['a field that is not there', '{ nothing }'],
  ['no operation of that name', 'query a { __typename } query b { __typename }'],
])('%s is 200 as application/json and 400 as its own media type', async (_title, bad) => {
  const asJson = await post({ query: bad }, { headers: { accept: json } })
  expect([asJson.status, asJson.headers.get('content-type')]).toEqual([200, `${json}; charset=utf-8`])
  const own = await post({ query: bad }, { headers: { accept: specific } })
  expect([own.status, own.headers.get('content-type')]).toEqual([400, `${specific}; charset=utf-8`])
  expect(own.body).toEqual(asJson.body)
  expect(own.body.errors[0].extensions).toEqual({ code: 'BAD_USER_INPUT' })
})

test('a GET queries, and changes nothing', async () => {
  const ask = (text: string) => app.send(`/graphql?query=${encodeURIComponent(text)}`)
  expect((await ask(query)).body).toEqual({ data: { viewer: { accountCode: 'demo' } } })
  const refused = await ask('mutation { saveTeam(input: { id: 77 }) { id } }')
  expect(refused.status).toBe(405)
  expect(refused.headers.get('allow')).toBe('POST')
  expect(refused.body.errors[0].extensions.code).toBe('METHOD_NOT_ALLOWED')
  expect((await app.send('/platform/teams/77')).status).toBe(404)
})

test('a GET ignores what its headers say of a body', async () => {
  const headers = { 'content-encoding': 'gzip', 'content-type': 'text/plain' }
  const answer = await app.send(`/graphql?query=${encodeURIComponent(query)}`, { headers })
  expect(answer.body).toEqual({ data: { viewer: { accountCode: 'demo' } } })
})

test('a GET names a parameter that GraphQL does not have', async () => {
  const { status, body } = await app.send(`/graphql?query=${encodeURIComponent(query)}&${'a'.repeat(200)}=1`)
  expect([status, body.errors[0].message]).toEqual([
    400,
    `\`${'a'.repeat(100)}\` is no parameter of a GraphQL request. ` +
      'Its parameters are query, operationName, variables, extensions.',
  ])
})

test('a query whose client asks for events is answered as one', async () => {
  const { headers, text } = await post({ query }, { headers: { accept: 'text/event-stream' } })
  expect(headers.get('content-type')).toContain('text/event-stream')
  expect(text).toContain('data: {"data":{"viewer":{"accountCode":"demo"}}}')
})

test('a mutation sees what the one before it changed', async () => {
  const { body } = await app.graphql(`mutation {
    a: addTeamMembership(input: { userId: 500, teamId: 1 }) { user { displayName memberships { nodes { teamId } } } }
    b: saveUser(input: { id: 500, displayName: "Ann" }) { id }
    c: addTeamMembership(input: { userId: 500, teamId: 2 }) { user { displayName memberships { nodes { teamId } } } }
  }`)
  expect(body.data.a.user).toEqual({ displayName: null, memberships: { nodes: [{ teamId: '1' }] } })
  expect(body.data.c.user).toEqual({
    displayName: 'Ann',
    memberships: { nodes: [{ teamId: '1' }, { teamId: '2' }] },
  })
})

test('GraphiQL needs no credential, holds all it loads and may ask no other host', async () => {
  const page = await app.send('/graphql', { token: null, headers: { accept: 'text/html,*/*' } })
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toContain("connect-src 'self'")
  expect(page.text).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)=["']?(?:https?:)?\/\//i)
  expect(page.text).toContain('Bearer <token>')
})

describe('every answer has the content type that `Accept` asks for', () => {
  const refusals: [number, (headers: Record<string, string>) => ReturnType<typeof post>][] = [
    [400, headers => post('{"query":', { headers })],
    [400, headers => post({}, { headers })],
    [401, headers => post({ query }, { headers, token: null })],
    [405, headers => app.send('/graphql', { method: 'PUT', headers, body: { query } })],
    [415, headers => post(query, { headers: { ...headers, 'content-type': 'text/plain' } })],
  ]
  test.each([json, specific])('as %s', async accept => {
    for (const [status, ask] of refusals) {
      const answer = await ask({ accept })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        status,
        `${accept}; charset=utf-8`,
      ])
      expect(answer.body.errors).toHaveLength(1)
    }
  })

  test('as a stream of one result', async () => {
    for (const [status, ask] of refusals) {
      const { headers, text, ...answer } = await ask({ accept: 'text/event-stream' })
      expect(answer.status === 200 ? 400 : answer.status).toBe(status)
      expect(headers.get('content-type')).toContain('text/event-stream')
      expect(text).toMatch(/^(:\n\n)?event: next\ndata: \{"errors":\[.*\]\}\n\nevent: complete\ndata:\n\n$/)
    }
  })
})

test.each([
  ['its text', 'subscription {', 'BAD_USER_INPUT'],
  ['its input', 'subscription { caseChanged(after: "x") { cursor } }', 'BAD_USER_INPUT'],
  ['its rights', 'subscription { caseChanged { cursor } }', 'FORBIDDEN'],
])('a subscription refused for %s is 200 with `next` and `complete`', async (_, subscription, code) => {
  const token = code === 'FORBIDDEN' ? await app.issueToken('other', ['memberships:read']) : app.adminToken
  const answer = await post({ query: subscription }, { token, headers: { accept: 'text/event-stream' } })
  expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([
    200,
    'text/event-stream',
  ])
  expect(answer.text).toMatch(/event: next\ndata: \{"errors":.*\}\n\nevent: complete\ndata:\n\n$/)
  expect(answer.text).toContain(code)
})

test('a persisted query without its text is refused as clients expect, so that they send it', async () => {
  const extensions = { persistedQuery: { version: 1, sha256Hash: 'x' } }
  const given = encodeURIComponent(JSON.stringify(extensions))
  for (const ask of [
    () => post({ extensions }),
    () => post({ query: '', extensions }),
    () => app.send(`/graphql?extensions=${given}`),
    () => app.send(`/graphql?query=&extensions=${given}`),
  ]) {
    const { status, body } = await ask()
    expect([status, body]).toEqual([
      200,
      {
        errors: [
          {
            message: 'PersistedQueryNotSupported',
            extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' },
          },
        ],
      },
    ])
  }
  expect((await post({ query, extensions })).body.data.viewer).toEqual({ accountCode: 'demo' })
})
