import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProxy, type TcpProxy } from '../../faults/replicas/start-proxy.ts'
import { addMembership, freshId, listMemberships } from '../../server/clients/memberships.ts'
import type { MembershipBody, ProblemBody } from '../../server/clients/wire-shapes.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { until } from '../../server/processes/until.ts'
import { openClient } from '../../store/databases/ask-postgres.ts'
import { createEmptyDatabase } from '../../store/databases/create-database.ts'

let proxy: TcpProxy
let one: TestServer
let other: TestServer

// Two gateways on one database, started at once on an empty store.
beforeAll(async () => {
  const url = await createEmptyDatabase()
  proxy = await startProxy(Number(new URL(url).port))
  const settings = { DATABASE_URL: url.replace(/:\d+\//, `:${proxy.port}/`) }
  const started = await Promise.all([startServer(settings), startServer(settings)])
  one = started[0]
  other = started[1]
})
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()])
  await proxy.stop()
})

test('a membership made at one gateway is read, moved and removed at the other', async () => {
  const { id, user_id } = await addMembership(one)
  const moved = { user_id, team_id: freshId() }
  const path = `/platform/team_memberships/${id}`
  const answer = await other.rest<MembershipBody>('PUT', path, {
    body: { team_membership: { team_id: moved.team_id } },
  })
  expect([answer.status, answer.body.team_membership]).toEqual([200, { id, ...moved, leader: null }])
  expect(await listMemberships(one, [id])).toEqual([{ id, ...moved, leader: null }])
  expect((await one.rest('DELETE', path)).status).toBe(204)
  expect((await other.rest('GET', path)).status).toBe(404)
})

test('a script changes memberships there as well', async () => {
  const { body } = await one.execute({
    sourceCode: `const { id } = await Platform.teamMemberships.add(payload)
      exit(await Platform.teamMemberships.move(id, { team_id: payload.team_id + 1 }))`,
    inputDocument: { user_id: freshId(), team_id: 900_000 },
  })
  expect(body.task_execution).toMatchObject({ outcome: 'exit', payload: { team_id: 900_001 } })
})

test('a failed read after a change is not reported as if the change was not made', async () => {
  const rival = await openClient(one.settings.DATABASE_URL ?? '')
  await rival.query('begin; lock table team_memberships')
  const { status, body } = await one.graphql(
    'mutation { saveUser(input: { id: 77, displayName: "Ann" }) { memberships(first: 1) { edges { cursor } } } }',
  )
  await rival.end()
  expect([status, body.data]).toEqual([200, { saveUser: { memberships: null } }])
  expect(body.errors?.map(({ path, message, extensions }) => [path, message, extensions.code])).toEqual([
    [
      ['saveUser', 'memberships'],
      'This part of the answer could not be read. Changes made before it are kept. Read again in 1 s.',
      'UNAVAILABLE',
    ],
  ])
  const read = await one.rest<{ user: { display_name: string } }>('GET', '/platform/users/77')
  expect(read.body.user.display_name).toBe('Ann')
})

test('parallel creates of one pair over both gateways are one 201, and 409 that name its id', async () => {
  const pair = { user_id: freshId(), team_id: freshId() }
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      (index % 2 === 0 ? one : other).rest<MembershipBody & ProblemBody>(
        'POST',
        '/platform/team_memberships',
        {
          body: { team_membership: pair },
        },
      ),
    ),
  )
  const created = answers.filter(({ status }) => status === 201)
  expect(created).toHaveLength(1)
  const names = new RegExp(`\\b${created[0]?.body.team_membership.id}\\b`)
  const refused = answers.filter(({ status, body }) => status === 409 && names.test(body.detail))
  expect(refused).toHaveLength(49)
})

test('a gateway is not ready while its database is gone, and ready again by itself', async () => {
  const readiness = async () => (await fetch(`${one.baseUrl}/ready`)).status
  await proxy.closeWhile(async () => {
    expect(await readiness()).toBe(503)
    expect((await fetch(`${one.baseUrl}/health`)).status).toBe(200)
  })
  await until(async () => (await readiness()) === 200)
  expect(await addMembership(one)).toMatchObject({ leader: null })
})
