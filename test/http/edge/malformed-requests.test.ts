import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendRaw } from './send-raw.ts'
import { startApp, type TestApp } from './start-app.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.close())

test.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  ['a bare carriage return in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\rb\r\n\r\n', 400],
  [
    'two lengths at once',
    'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n' +
      '0\r\n\r\nGET /x HTTP/1.1\r\n\r\n',
    400,
  ],
  ['an expectation that cannot be met', 'GET /health HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n', 417],
  ['a request without a Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['two hosts', 'GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400],
  ['two credentials', 'GET /health HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\nauthorization: b\r\n\r\n', 400],
  ['a host that is none', 'GET /health HTTP/1.1\r\nHost: a/b@c\r\n\r\n', 400],
  ['a version that is not spoken', 'GET /health HTTP/2.0\r\nHost: x\r\n\r\n', 400],
  [
    'chunks in HTTP/1.0',
    'GET /health HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['two hosts and a bad URL', 'GET /%zz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400],
  ['a bad URL without a Host', 'GET /%zz HTTP/1.1\r\n\r\n', 400],
  [
    'chunks in HTTP/1.0 and a bad URL',
    'GET /%zz HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  [
    'an encoding besides the chunks',
    'GET /health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['CONNECT', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n', 400],
  ['2,001 headers', `GET /health HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(2_001)}\r\n`, 431],
  ['headers of 256 KiB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(262_144)}\r\n\r\n`, 431],
])('%s gets a problem document and the connection is closed', async (_title, bytes, status) => {
  const { text, closedAfterMs } = await sendRaw({ url: app.url, writes: [bytes] })
  expect(closedAfterMs).not.toBeNull()
  expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(text.match(/^HTTP\/1.1 /gm)).toHaveLength(1)
  expect(text).toMatch(/^content-type: application\/problem\+json/im)
  expect(text).toMatch(/^x-request-id: [0-9a-f-]{36}/im)
  expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({ status, code: 'BAD_USER_INPUT' })
})

test.each([
  ['application/graphql-response+json', /^content-type: application\/graphql-response\+json/im],
  ['text/event-stream', /^content-type: text\/event-stream/im],
])('a broken body under `Accept: %s` is answered so, with the id of its log line', async (accept, type) => {
  const head =
    `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.adminToken}\r\nAccept: ${accept}\r\n` +
    'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
  for (const writes of [[`${head}zz\r\n`], [head, '1\r\n{\r\n', 'zz\r\n']]) {
    app.logLines.length = 0
    const { text } = await sendRaw({ url: app.url, writes, pauseMs: 50 })
    expect(text).toMatch(/^HTTP\/1.1 400 /)
    expect(text).toMatch(type)
    expect(text).toMatch(/^connection: close/im)
    const lines = app.logLines.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'request')
    expect(lines).toMatchObject([{ account: 'demo', operation: 'POST /graphql', status: 400 }])
    expect(text).toContain(`x-request-id: ${lines[0]?.requestId}`)
  }
})

test('headers beyond 16 KiB are a 431, though a URL may be longer', async () => {
  const headers = { cookie: `a=${'b'.repeat(20_000)}` }
  expect((await app.send('/health', { headers })).status).toBe(431)
  expect((await app.send(`/health?${'x'.repeat(30_000)}`)).status).toBe(200)
})

test('pipelined requests are answered in order', async () => {
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
  const last = 'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const { text } = await sendRaw({ url: app.url, writes: [get('/health') + get('/ready') + last] })
  expect(text.match(/HTTP\/1.1 \d+/g)).toEqual([
    'HTTP/1.1 200',
    expect.stringMatching(/200|503/),
    'HTTP/1.1 404',
  ])
})

test('an invalid request is refused after the answers to those before it', async () => {
  const body = '{"query":"{ viewer { accountCode } }"}'
  const post =
    `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.adminToken}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  for (const bad of ['hello\r\n\r\n', 'GET / HTTP/1.1\r\nX: a\rb\r\n\r\n']) {
    const { text, closedAfterMs } = await sendRaw({ url: app.url, writes: [post + post + bad, post] })
    expect(closedAfterMs).not.toBeNull()
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400'])
    expect(text.match(/"accountCode":"demo"/g)).toHaveLength(2)
  }
})

test('no header of a caller stands for another method, account or request id', async () => {
  const answer = await app.send('/platform/team_memberships/1', {
    headers: {
      'x-http-method-override': 'DELETE',
      'x-account': 'other',
      'x-request-id': 'forged',
      origin: 'https://evil.example',
    },
  })
  expect(answer.status).toBe(404)
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
  const names = [...answer.headers.keys()]
  expect(names.filter(name => /^access-control|^set-cookie|powered|^server$/.test(name))).toEqual([])
})

test('the log line of a request that was never parsed has the address of its client', async () => {
  const before = app.logLines.length
  await sendRaw({ url: app.url, writes: ['hello\r\n\r\n'] })
  const [line] = app.logLines.slice(before).filter(each => each.includes('HPE_'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ address: '127.0.0.1', operation: null, status: 400 })
})
