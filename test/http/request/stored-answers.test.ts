import { beforeAll, expect, test } from 'vitest'
import { followEvents } from '../../server/clients/follow-events.ts'
import { addMembership } from '../../server/clients/memberships.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

test('no browser or proxy stores an answer with data of an account, a refusal, a replay or a stream', async () => {
  const created = await addMembership(server)
  const path = `/platform/team_memberships/${created.id}`
  const key = { 'idempotency-key': `stored-${created.id}` }
  const put = () =>
    server.rest('PUT', path, { headers: key, body: { team_membership: { team_id: created.team_id + 1 } } })
  const execution = { name: 'a', sourceCode: 'exit(1)', inputDocument: {}, options: {} }
  const query = encodeURIComponent('{ viewer { accountCode } }')
  const answers = [
    await server.rest('GET', path),
    await server.rest('GET', `/platform/team_memberships?ids[]=${created.id}`),
    await put(),
    await put(),
    await server.rest('GET', '/platform/cases/999999'),
    await server.rest('GET', path, { token: null }),
    await server.rest('GET', `/graphql?query=${query}`),
    await server.rest('POST', '/graphql', { body: { query: '{ viewer { accountCode } }' } }),
    await server.rest('POST', '/api/1/endpoint/execute', { body: execution }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404, 401, 200, 200, 200])
  expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual(answers.map(() => 'no-store'))
  const follower = await followEvents(server)
  expect(follower.headers.get('cache-control')).toBe('no-store')
  follower.cut()
})
