import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendRaw } from './send-raw.ts'
import { startApp, type TestApp } from './start-app.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.close())

const speak = async (lines: readonly string[], body = '') => {
  const head = [...lines, `Authorization: Bearer ${app.adminToken}`, 'Host: x', 'Connection: close']
  const { text } = await sendRaw({ url: app.url, writes: [`${head.join('\r\n')}\r\n\r\n${body}`] })
  return text
}

test.each([
  '/graphql',
  '/graph%71l',
  '/%67%72%61%70%68%71%6C',
  '/graphql#x',
  'http://evil.example/graphql',
  'HTTP://u:p@evil.example/gr%61phql#x?query={a}',
])('`%s` is GraphQL in every spelling of its path', async target => {
  const text = await speak([`GET ${target} HTTP/1.1`])
  expect(text).toMatch(/^HTTP\/1.1 400 /)
  expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({
    errors: [{ message: 'Must provide query string.', extensions: { code: 'BAD_USER_INPUT' } }],
  })
})

test.each([
  ['/platform/team%5Fmemberships/%31', 404, 'There is no team membership `1`.'],
  ['/platform/team_memberships/%2531', 400, '`%31` is not a valid membership id'],
  ['/platform/team_memberships/1%2F2', 400, '`1/2` is not a valid membership id'],
  ['/platform/team_memberships/..', 400, '`..` is not a valid membership id'],
  ['/platform/team_memberships#?ids[]=1', 400, 'Name the ids to list'],
  ['*', 404, 'There is nothing at this path.'],
  ['*health', 404, 'There is nothing at this path.'],
  ['http://evil.example/x?ids[]=1', 404, 'There is nothing at this path.'],
  ['http://evil.example?ids[]=1', 200, '<title>Rostrum</title>'],
])('`%s` is read once, and no further', (target, status, detail) =>
  expectAnswer(`GET ${target}`, status, detail),
)

async function expectAnswer(request: string, status: number, detail: string): Promise<void> {
  const text = await speak([`${request} HTTP/1.1`])
  expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(text).toContain(detail)
}

test('what no route takes is refused without a look at its body', async () => {
  const lines = ['Content-Type: text/odd', 'Content-Length: 3']
  const unknown = await speak(['POST /nothing HTTP/1.1', ...lines], 'abc')
  expect(unknown).toMatch(/^HTTP\/1.1 404 /)
  const noId = await speak(['PATCH /platform/users/ HTTP/1.1', ...lines], 'abc')
  expect(noId).toMatch(/^HTTP\/1.1 405 /)
  expect(noId).toMatch(/^allow: GET, PUT\r$/im)
  expect(await speak(['PUT /graphql HTTP/1.1', ...lines], 'abc')).toMatch(/^HTTP\/1.1 405 /)
})

test.each([
  ['GET /health/', 404, 'There is nothing at this path. Leave out the `/` at its end.'],
  ['GET /platform/cases/1/?x=1', 404, 'There is nothing at this path. Leave out the `/` at its end.'],
  ['POST /platform/cases/', 405, 'it has GET, PUT, PATCH, DELETE. Leave out the `/` at its end.'],
  ['PATCH /platform/team_memberships/', 405, 'it has GET, PUT, DELETE.","'],
  ['POST /platform/cases/1', 405, 'it has GET, PUT, PATCH, DELETE.","'],
  ['GET /nothing/', 404, 'There is nothing at this path.","'],
])('%s says whether the slash at the end is too much', expectAnswer)

test('a refusal says that the connection closes where the client has asked for it', async () => {
  const refusals = [
    await speak(['GET /platform/users/1 HTTP/1.1']),
    await speak(['PUT /platform/users/1 HTTP/1.1', 'Content-Type: text/plain', 'Content-Length: 1'], 'x'),
    await speak(['GET /platform/users/x HTTP/1.1']),
    await speak(['GET /% HTTP/1.1']),
  ]
  expect(refusals.map(text => /^connection: (.*)\r$/im.exec(text)?.[1])).toEqual(refusals.map(() => 'close'))
})
