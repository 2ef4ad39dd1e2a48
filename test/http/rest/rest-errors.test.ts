import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogue, type ErrorCode } from '../../../src/errors.ts'
import { startApp, type TestApp, type TestResponse } from '../edge/start-app.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp({ ROSTRUM_BODY_BYTES: '2000' })
})

afterAll(() => app.close())

const path = '/platform/team_memberships'

function expectProblem({ status, headers, body }: TestResponse, code: ErrorCode): void {
  expect(body).toMatchObject({
    type: `urn:rostrum:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    title: catalogue[code].title,
    status: catalogue[code].status,
    code,
  })
  expect(body.detail).toMatch(/\S/)
  expect(status).toBe(catalogue[code].status)
  expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(JSON.stringify(body)).not.toMatch(/node_modules|\.ts:|SQLITE|at \w+ \(/)
}

describe('a bad body', () => {
  test.each<[string, unknown, string[]]>([
    ['no fields', { team_membership: {} }, ['/team_membership/user_id', '/team_membership/team_id']],
    ['one field', { team_membership: { user_id: 7 } }, ['/team_membership/team_id']],
    ['digits as text', { team_membership: { user_id: '7', team_id: 3 } }, ['/team_membership/user_id']],
    [
      'fractions',
      { team_membership: { user_id: 7.5, team_id: 0 } },
      ['/team_membership/user_id', '/team_membership/team_id'],
    ],
    [
      'null',
      { team_membership: { user_id: null, team_id: 2 ** 53 } },
      ['/team_membership/user_id', '/team_membership/team_id'],
    ],
    ['no wrapper', { user_id: 7, team_id: 3 }, ['/team_membership']],
    ['a list in the wrapper', { team_membership: [7, 3] }, ['/team_membership']],
    ['a long integer in the wrapper', { team_membership: 2 ** 53 }, ['/team_membership']],
    ['a list', [], ['']],
    ['a long integer', 2 ** 53, ['']],
    ['text', '"team_membership"', ['']],
  ])('with %s is a 400 with a pointer to each bad field', async (_title, body, pointers) => {
    const answer = await app.send(path, { method: 'POST', body })
    expectProblem(answer, 'BAD_USER_INPUT')
    expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual(pointers)
  })

  test.each(['1e400', '-1e400'])(
    'with %s, which JavaScript reads as infinity, is not taken for null',
    async number => {
      for (const [body, pointer] of [
        [`{"team_membership":{"user_id":8,"team_id":${number}}}`, '/team_membership/team_id'],
        [`{"team_membership":${number}}`, '/team_membership'],
      ]) {
        const answer = await app.send(path, { method: 'POST', body })
        expectProblem(answer, 'BAD_USER_INPUT')
        expect(answer.body.errors).toEqual([
          { pointer, detail: expect.stringMatching(/^must be .*; it is a number that overflows$/) },
        ])
      }
    },
  )

  test('that changes nothing, or to null, is a 400', async () => {
    for (const change of [{}, { user_id: null }, { team_id: '4' }]) {
      const answer = await app.send(`${path}/1`, { method: 'PUT', body: { team_membership: change } })
      expectProblem(answer, 'BAD_USER_INPUT')
      expect(answer.body.errors).toHaveLength(1)
    }
  })

  test('of a user or team names the field as the REST side does', async () => {
    const user = await app.send('/platform/users/7', {
      method: 'PUT',
      body: { user: { email: 'nobody', display_name: 1 } },
    })
    expect(user.body.errors[0].pointer).toBe('/user/display_name')
    const email = await app.send('/platform/users/7', { method: 'PUT', body: { user: { email: 'nobody' } } })
    expect(email.body.errors[0].pointer).toBe('/user/email')
    const team = await app.send('/platform/teams/7', { method: 'PUT', body: { team: { name: '' } } })
    expect(team.body.errors[0].pointer).toBe('/team/name')
  })

  test.each([
    ['cut short', '{"team_membership":'],
    ['not JSON', '{"team_membership":x}'],
    ['empty', ''],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['with a prototype', '{"team_membership":{"user_id":1,"team_id":1},"__proto__":{"admin":true}}'],
    ['with an escaped prototype', '{"team_membership":{"user_id":1,"team_id":1,"\\u005f_proto__":{}}}'],
  ])('that is %s is a 400', async (_title, body) => {
    const response = await fetch(app.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.adminToken}`, 'content-type': 'application/json' },
      body,
    })
    const text = await response.text()
    expectProblem(
      { status: response.status, headers: response.headers, text, body: JSON.parse(text) },
      'BAD_USER_INPUT',
    )
    expect(({} as Record<string, unknown>).admin).toBeUndefined()
  })

  test('names the position where JSON ends', async () => {
    const answer = await app.send(path, { method: 'POST', body: '{"team_membership":{},}' })
    expect(answer.body.detail).toContain('position 22')
  })

  test('that is too large is a 413, with or without a length header', async () => {
    const large = JSON.stringify({ team_membership: { user_id: 1, team_id: 1 }, more: 'x'.repeat(3_000) })
    expectProblem(await app.send(path, { method: 'POST', body: large }), 'PAYLOAD_TOO_LARGE')
    const chunked: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: { authorization: `Bearer ${app.adminToken}`, 'content-type': 'application/json' },
      body: new Blob([large]).stream(),
      duplex: 'half',
    }
    const streamed = await fetch(app.url + path, chunked)
    expect(streamed.status).toBe(413)
  })
})

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'nonsense',
])('a body as %s is a 415', async type => {
  const answer = await app.send(path, { method: 'POST', headers: { 'content-type': type }, body: '{}' })
  expectProblem(answer, 'UNSUPPORTED_MEDIA_TYPE')
})

const sent = (types: string) => `Send the body as \`Content-Type: ${types}\`.`
const source = 'Send the source as `text/javascript` or without a type, as `curl -T file.js` does'

test.each([
  ['POST', '/graphql', 'text/plain', sent('application/json')],
  ['POST', path, 'text/plain', sent('application/json')],
  ['POST', '/platform/cases', '', sent('application/json')],
  ['POST', '/api/1/case/1/task/a', 'text/plain', sent('application/json')],
  [
    ...['POST', '/api/1/endpoint/execute', 'text/plain'],
    sent('application/json` or `application/x-www-form-urlencoded'),
  ],
  ['PUT', '/platform/functions/a', '', `The body has an empty type. ${source}`],
  ['PUT', '/platform/functions/a', 'nonsense', `The body has the type \`nonsense\`. ${source}`],
  ['DELETE', '/platform/functions/a', 'text/plain', 'The body has the type `text/plain`. Send no body'],
] as [string, string, string, string][])(
  '%s %s says what it takes instead of `%s`',
  async (method, to, type, words) => {
    const answer = await app.send(to, { method, headers: { 'content-type': type }, body: 'exit(1)' })
    expect(answer.status).toBe(415)
    expect(answer.body.detail ?? answer.body.errors[0].message).toContain(words)
  },
)

test('a compressed body is a 415', async () => {
  const headers = { 'content-encoding': 'gzip' }
  expectProblem(await app.send(path, { method: 'POST', headers, body: {} }), 'UNSUPPORTED_MEDIA_TYPE')
})

test('a GET request ignores a body, and its headers too', async () => {
  const headers = { 'content-encoding': 'gzip', 'content-type': 'text/plain' }
  expectProblem(await app.send(`${path}/12345`, { headers }), 'NOT_FOUND')
})

test('a body that says it is not compressed is read', async () => {
  const headers = { 'content-encoding': 'Identity' }
  const body = { team_membership: { user_id: 71, team_id: 3 } }
  expect((await app.send(path, { method: 'POST', headers, body })).status).toBe(201)
})

test.each([
  [{ 'content-type': 'text/plain' }],
  [{ 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' }],
])('a DELETE without a body may have the headers %o', async headers => {
  const body = { team_membership: { user_id: 72, team_id: 3 } }
  const added = await app.send(path, { method: 'POST', body })
  const { id } = added.body.team_membership as { id: number }
  expect((await app.send(`${path}/${id}`, { method: 'DELETE', headers })).status).toBe(204)
})

test('an id that is none is a 400 that names it, an unknown one a 404', async () => {
  for (const method of ['GET', 'DELETE']) {
    const bad = await app.send(`${path}/1%20OR%201=1`, { method })
    expectProblem(bad, 'BAD_USER_INPUT')
    expect(bad.body.detail).toContain('`1 OR 1=1`')
    expectProblem(await app.send(`${path}/12345`, { method }), 'NOT_FOUND')
  }
  expectProblem(await app.send(`/platform/users/${'9'.repeat(500)}`), 'BAD_USER_INPUT')
})

test('an unknown path is a 404, a known one with another method a 405 that names the right ones', async () => {
  expectProblem(await app.send('/nowhere'), 'NOT_FOUND')
  expectProblem(await app.send('/platform/..%2f..%2fetc%2fpasswd'), 'NOT_FOUND')
  const patched = await app.send(`${path}/1`, { method: 'PATCH', body: '{}' })
  expectProblem(patched, 'METHOD_NOT_ALLOWED')
  expect(patched.headers.get('allow')).toBe('GET, PUT, DELETE')
  expect(patched.body.detail).toContain('GET, PUT, DELETE')
  expectProblem(await app.send('/platform/%zz'), 'BAD_USER_INPUT')
})

test('without a good credential every data path is a 401 with a challenge, before its body is looked at', async () => {
  const paths = ['/platform/users/7', '/platform/teams/7', path, `${path}/1`, `${path}?ids[]=1`]
  for (const target of paths) {
    const missing = await app.send(target, { token: null })
    expectProblem(missing, 'UNAUTHENTICATED')
    expect(missing.headers.get('www-authenticate')).toBe('Bearer realm="rostrum"')
    const bad = await app.send(target, { token: 'wrong' })
    expectProblem(bad, 'UNAUTHENTICATED')
    expect(bad.headers.get('www-authenticate')).toMatch(/^Bearer realm="rostrum", error="invalid_token"/)
  }
  const execute = { method: 'POST', token: null, body: '{"broken":' }
  expectProblem(await app.send('/api/1/endpoint/execute', execute), 'UNAUTHENTICATED')
})

test('a missing scope is a 403 with a challenge that names it', async () => {
  const token = await app.issueToken('demo', ['memberships:write'])
  const refused = await app.send(`${path}/1`, { token })
  expectProblem(refused, 'FORBIDDEN')
  expect(refused.body.scope).toBe('memberships:read')
  expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
})
