import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addMembership, freshId, listMemberships } from '../../server/clients/memberships.ts'
import type { Answer } from '../../server/clients/send-request.ts'
import type { MembershipBody, MembershipRow, ProblemBody } from '../../server/clients/wire-shapes.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { openClient } from '../../store/databases/ask-postgres.ts'
import { createDatabase } from '../../store/databases/create-database.ts'

const path = '/platform/team_memberships'

let url: string
let server: TestServer
let held: string
let free: string
beforeAll(async () => {
  url = await createDatabase()
  server = await startServer({ DATABASE_URL: url, ROSTRUM_SANDBOXES: '1' })
  held = await server.token({ account: 'held' })
  free = await server.token({ account: 'free' })
})
afterAll(async () => {
  await server.stop()
})

let rows: MembershipRow[]
beforeEach(async () => {
  rows = []
  for (let row = 1; row <= 3; row += 1) rows.push(await addMembership(server, {}, held))
})

/** Another session that has the row for as long as `work` takes, and more than 5 s. */
async function holdRow(select: string, work: () => Promise<unknown>): Promise<void> {
  const rival = await openClient(url)
  await rival.query('begin')
  expect((await rival.query(`${select} for update`)).rowCount).toBeGreaterThan(0)
  await Promise.all([work(), sleep(5_500)])
  await rival.end()
}

interface Refusal {
  readonly answer: Answer<ProblemBody>
  readonly ms: number
}

async function refuse(method: string, target: string, pair?: object, key?: string): Promise<Refusal> {
  const start = performance.now()
  const answer = await server.rest<ProblemBody>(method, target, {
    token: held,
    ...(pair && { body: { team_membership: pair } }),
    ...(key && { headers: { 'idempotency-key': key } }),
  })
  return { answer, ms: performance.now() - start }
}

async function readEvents(): Promise<readonly unknown[]> {
  const query = '{ teamMembershipEvents(first: 1000) { edges { node { kind teamMembershipId } } } }'
  const { body } = await server.graphql<{ teamMembershipEvents: { edges: unknown[] } }>(query, {}, held)
  expect(body.errors).toBeUndefined()
  return body.data?.teamMembershipEvents.edges ?? []
}

const ids = () => rows.map(({ id }) => id)

test('while another session has the row of an account, its writes are refused in time, and others go on', async () => {
  const [moved, removed] = ids()
  const pair = { user_id: freshId(), team_id: freshId() }
  const keyed = { user_id: freshId(), team_id: freshId() }
  const key = 'of-a-change-that-waits'
  const before = await readEvents()
  let goneOn = 0
  await holdRow("select from counters where account_code = 'held'", async () => {
    let isOver = false
    const others = (async () => {
      for (; !isOver; goneOn += 1) await addMembership(server, {}, free)
    })()
    const refusals = await Promise.all([
      refuse('POST', path, pair),
      refuse('POST', path, keyed, key),
      refuse('PUT', `${path}/${moved}`, { team_id: freshId() }),
      refuse('DELETE', `${path}/${removed}`),
    ])
    isOver = true
    await others
    for (const { answer, ms } of refusals) {
      const retryAfter = answer.headers.get('retry-after')
      expect([answer.status, answer.body.code, retryAfter]).toEqual([503, 'UNAVAILABLE', '1'])
      expect(answer.body.detail).toMatch(/nothing was changed/)
      expect(ms).toBeLessThan(6_000)
    }
    expect(await listMemberships(server, ids(), held)).toEqual(rows)
  })
  expect(goneOn).toBeGreaterThan(10)
  expect(await readEvents()).toEqual(before)
  expect(await listMemberships(server, ids(), held)).toEqual(rows)

  await addMembership(server, pair, held)
  const again = await server.rest<MembershipBody>('POST', path, {
    token: held,
    body: { team_membership: keyed },
    headers: { 'idempotency-key': key },
  })
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, null])
  expect(await readEvents()).toHaveLength(before.length + 2)
})

test('many writes that wait for such a row leave others their way to the database', async () => {
  await holdRow("select from counters where account_code = 'held'", async () => {
    const waiting = Promise.all(
      Array.from({ length: 100 }, () => refuse('PUT', `${path}/${rows[0]?.id}`, { team_id: freshId() })),
    )
    await sleep(500)
    const start = performance.now()
    await addMembership(server, {}, free)
    expect(performance.now() - start).toBeLessThan(1_000)
    for (const { answer, ms } of await waiting) {
      expect([answer.status, answer.body.code]).toEqual([503, 'UNAVAILABLE'])
      expect(ms).toBeLessThan(6_000)
    }
  })
})
