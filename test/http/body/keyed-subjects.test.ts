import { afterAll, beforeAll, expect, test } from 'vitest'
import { secret, signHmac } from '../../credentials/sign-jwt.ts'
import { startApp, type TestApp } from '../edge/start-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ ROSTRUM_JWT_SECRET: secret })
})
afterAll(() => app.close())

async function save(sub: string, key: string, headers: Record<string, string> = {}, body?: unknown) {
  const token = await signHmac({ account: 'demo', sub })
  const { status, headers: answered } = await app.send('/platform/teams/7', {
    method: 'PUT',
    token,
    headers: { 'idempotency-key': key, ...headers },
    body: body ?? { team: { name: 'Seven' } },
  })
  return [status, answered.get('idempotency-replayed')]
}

test('keys of two JWT subjects differ, even without integer id, e-mail or name', async () => {
  expect(await save('service-a', 'one')).toEqual([200, null])
  expect(await save('service-b', 'one')).toEqual([409, null])
  expect(await save('service-a', 'one')).toEqual([200, 'true'])
})

test('a request is the same where its bytes are: other white space or another order is another request', async () => {
  const body = '{"team":{"name":"Seven"}}'
  expect(await save('service-a', 'two', {}, body)).toEqual([200, null])
  expect(await save('service-a', 'two', {}, body)).toEqual([200, 'true'])
  const withCharset = { 'content-type': 'application/json; charset=utf-8' }
  expect(await save('service-a', 'two', withCharset, body)).toEqual([200, 'true'])
  expect(await save('service-a', 'two', {}, '{"team":{"name": "Seven"}}')).toEqual([409, null])
})
