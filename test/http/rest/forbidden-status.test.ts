import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../edge/start-app.ts'

let app: TestApp
let writer: string

beforeAll(async () => {
  app = await startApp()
  writer = await app.issueToken('demo', ['memberships:write'])
})
afterAll(() => app.close())

const add = (userId: number, fields: string) =>
  `addTeamMembership(input: {userId: ${userId}, teamId: 1}) { ${fields} }`

test('a request of which every field is refused is a 403, and nothing was done', async () => {
  const reader = await app.issueToken('demo', ['memberships:read'])
  const answer = await app.graphql(`mutation { a: ${add(1, 'id')} b: ${add(2, 'id')} }`, {}, reader)
  expect(answer.status).toBe(403)
  expect(answer.body.data).toEqual({ a: null, b: null })
  const { body } = await app.graphql('{ user(id: 1) { id } }')
  expect(body.data.user).toBeNull()
})

test('a mutation that was made is a 200, though the caller may not read on from what it made', async () => {
  const answer = await app.graphql(`mutation { ${add(10, 'userId user { email }')} }`, {}, writer)
  expect(answer.status).toBe(200)
  expect(answer.body.data.addTeamMembership).toEqual({ userId: '10', user: null })
  expect(answer.body.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN', scope: 'memberships:read' } }])
})

test('a mutation that fails leaves the answer of the one before it', async () => {
  const answer = await app.graphql(`mutation { a: ${add(20, 'userId')} b: ${add(20, 'userId')} }`, {}, writer)
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ a: { userId: '20' }, b: null })
  expect(answer.body.errors).toMatchObject([{ path: ['b'], extensions: { code: 'CONFLICT' } }])
})

test('a refusal for want of a scope names it in the same challenge over GraphQL and REST', async () => {
  const runner = await app.issueToken('demo', ['tasks:execute'])
  const graphql = await app.graphql('{ user(id: 1) { id } }', {}, runner)
  const rest = await app.send('/platform/users/1', { token: runner })
  expect([graphql.status, rest.status]).toEqual([403, 403])
  expect(graphql.headers.get('www-authenticate')).toMatch(
    /error="insufficient_scope".*scope="memberships:read"$/,
  )
  expect(graphql.headers.get('www-authenticate')).toBe(rest.headers.get('www-authenticate'))
})
