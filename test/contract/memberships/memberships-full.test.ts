import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProblemBody } from '../../server/clients/wire-shapes.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'

const path = '/platform/team_memberships'
let server: TestServer

beforeAll(async () => {
  // Room for the events of two changes.
  server = await startServer({ ROSTRUM_ACCOUNT_STORE_BYTES: '600' })
})
afterAll(() => server.stop())

const add = (userId: number) =>
  server.rest<ProblemBody>('POST', path, { body: { team_membership: { user_id: userId, team_id: 1 } } })

test('a full account is refused in REST, GraphQL and scripts, and can remove a membership', async () => {
  expect([(await add(1)).status, (await add(2)).status]).toEqual([201, 201])

  const refused = await add(3)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('60')
  expect(refused.body).toMatchObject({ code: 'OVERLOADED' })
  expect(refused.body.detail).toContain('stores 512 bytes')

  const mutation = 'mutation { addTeamMembership(input: { userId: 3, teamId: 1 }) { id } }'
  const inGraphql = await server.graphql(mutation)
  expect(inGraphql.body.errors).toMatchObject([{ extensions: { code: 'OVERLOADED' } }])

  const sourceCode = `exit((await graphql('${mutation}')).errors[0].extensions.code)`
  const { text } = await server.execute({ sourceCode })
  expect(text).toContain('OVERLOADED')

  expect((await server.rest('GET', '/platform/teams/1')).status).toBe(200)
  expect((await server.rest('GET', '/platform/users/3')).status).toBe(404)
  expect((await server.rest('DELETE', `${path}/1`)).status).toBe(204)
})
