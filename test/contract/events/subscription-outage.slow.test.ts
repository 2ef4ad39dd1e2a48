import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProxy, type TcpProxy } from '../../faults/replicas/start-proxy.ts'
import { type Follower, followEvents } from '../../server/clients/follow-events.ts'
import { addMembership } from '../../server/clients/memberships.ts'
import { readEventStream } from '../../server/clients/read-event-stream.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { createDatabase } from '../../store/databases/create-database.ts'

let proxy: TcpProxy
let writer: TestServer
let other: TestServer

beforeAll(async () => {
  const url = await createDatabase()
  proxy = await startProxy(Number(new URL(url).port))
  const throughProxy = url.replace(/:\d+\//, `:${proxy.port}/`)
  ;[writer, other] = await Promise.all([
    startServer({ DATABASE_URL: throughProxy }),
    startServer({ DATABASE_URL: throughProxy }),
  ])
})
afterAll(async () => {
  await Promise.all([writer.stop(), other.stop()])
  await proxy.stop()
})

const idsOf = ({ events }: Follower) => events.map(({ teamMembershipId }) => Number(teamMembershipId))

test('a stream waits while the database is gone, and goes on by itself once it is back', {
  timeout: 60_000,
}, async () => {
  const follower = await followEvents(other)
  await proxy.closeWhile(() => sleep(6_000))
  const id = await untilMade()
  await expect.poll(() => idsOf(follower), { timeout: 15_000 }).toContain(id)
  expect(follower.errors).toEqual([])
  follower.cut()
})

async function untilMade(): Promise<number> {
  for (let tries = 0; tries < 50; tries += 1) {
    const made = await addMembership(writer).catch(() => null)
    if (made !== null) return made.id
    await sleep(200)
  }
  throw new Error('No change was made since the database came back.')
}

test('no event is left out if the database goes while the events of a stream are written', {
  timeout: 120_000,
}, async () => {
  const id = await saveCase(null, 0)
  for (let n = 1; n <= events; n += 1) await saveCase(id, n)
  const found = await writer.graphql<FirstEvent>(
    `{ case(id: ${id}) { events(first: 1) { nodes { cursor } } } }`,
  )
  let after = found.body.data?.case.events.nodes[0]?.cursor ?? ''
  const versions: number[] = []

  // Reads until the stream ends, or all events came.
  async function read({ body }: Response): Promise<void> {
    if (body === null) throw new Error('The answer has no body.')
    for await (const { event, data } of readEventStream(body)) {
      expect(event).toBe('next')
      const { caseChanged } = (JSON.parse(data) as { data: { caseChanged: CaseEvent } }).data
      versions.push(caseChanged.version)
      after = caseChanged.cursor
      if (versions.length === events) break
    }
  }

  // Nobody reads at first, so that most events are not written yet when the database goes.
  const unread = await followCase(after)
  await sleep(1_000)
  await proxy.closeWhile(() => read(unread))
  while (versions.length < events) {
    const answer = await followCase(after)
    if (answer.ok) await read(answer)
    else await sleep(200)
  }
  expect(versions).toEqual(Array.from({ length: events }, (_, n) => n + 2))
})

// Together they are more than connections hold, and few enough to be read from the database at once.
const events = 90

interface CaseEvent {
  readonly cursor: string
  readonly version: number
}

interface FirstEvent {
  readonly case: { readonly events: { readonly nodes: readonly CaseEvent[] } }
}

async function saveCase(id: string | null, n: number): Promise<string> {
  const { body } = await writer.graphql<{ saveCase: { case: { id: string } } }>(
    'mutation($input: SaveCaseInput!) { saveCase(input: $input) { case { id } } }',
    {
      input: {
        ...(id === null ? { caseTypeCode: 'long' } : { id }),
        data: { value: String(n % 10).repeat(25_000) },
      },
    },
  )
  return body.data?.saveCase.case.id ?? ''
}

function followCase(after: string): Promise<Response> {
  const query = 'subscription($after: String) { caseChanged(after: $after) { cursor version changedFields } }'
  return fetch(`${other.baseUrl}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${other.adminToken}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query, variables: { after } }),
  })
}
