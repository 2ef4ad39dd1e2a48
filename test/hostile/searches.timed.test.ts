import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMembership } from '../server/memberships.ts'
import { usualPatience } from '../server/patience.ts'
import { type ObservedServer, startObservedServer } from '../server/start-server.ts'
import { writeRows } from '../store/write-rows.ts'
import { quantile } from './steady-load.ts'

const maxWaitMs = 250
// Of the processor, for one turn of the event loop.
const maxTurnMs = 50

let server: ObservedServer
let neighbour: string

beforeAll(async () => {
  server = await startObservedServer({ ...usualPatience, LOG_LEVEL: 'warn' })
  neighbour = await server.token({ account: 'neighbour', user: 1 })
  await writeRows(
    server.settings.DATABASE_URL ?? '',
    `insert into runs (account_code, id, run_id, state, outcome, "trigger", name, function_id, function_version,
        case_id, queued_run_id, txn_id, txn_source, attempt, scopes, started_at, dry_run, text_bytes, gateway)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
      select 'demo', i, 'run-' || i, 'ended', 'exit', 'hook', '"recalculate"', 1, '${'f'.repeat(64)}', i % 100,
        i % 100, '00000000-0000-4000-8000-000000000000', '"hook|incident/recalculate|2026-11-20T10:00:00.000Z"', 1,
        'cases:read', i, 0, '{"input":2000}', 'gone' from n`,
  )
})
afterAll(() => server.stop())

// Each matches nothing, and has no index that finds that out.
const filters = [
  'trigger: WEBHOOK',
  'startedAfter: "2099-01-01T00:00:00Z"',
  'outcome: EXIT, trigger: ENDPOINT',
  'state: ENDED, trigger: TASK',
  'functionId: 1, outcome: FAIL, trigger: HOOK',
  'functionId: 1, state: LOST, trigger: HOOK',
  'txnID: "00000000-0000-4000-8000-000000000000", startedBefore: "1970-01-01T00:00:00Z"',
  'outcome: EXIT, state: RUNNING',
  'startedBefore: "1970-01-01T00:00:00Z"',
]
const query = (count: number) => {
  const fields = Array.from(
    { length: count },
    (_, n) => `a${n}: runs(first: 1, filter: {${filters[n % filters.length]}}) { nodes { id } }`,
  )
  return `{ ${fields.join(' ')} }`
}

/** The waits of a neighbour's reads and writes while `attack` runs, sorted, in ms. One begins every 20 ms. */
async function waitsBeside(attack: () => Promise<unknown>): Promise<readonly number[]> {
  const waits: number[] = []
  const pending: Promise<void>[] = []
  const { id } = await addMembership(server, {}, neighbour)
  async function ask(isRead: boolean) {
    const started = performance.now()
    const path = `/platform/team_memberships/${id}`
    if (isRead) expect((await server.rest('GET', path, { token: neighbour })).status).toBe(200)
    else await addMembership(server, {}, neighbour)
    waits.push(performance.now() - started)
  }
  await server.observe()
  const timer = setInterval(() => pending.push(ask(pending.length % 2 === 0)), 20)
  await attack().finally(() => clearInterval(timer))
  await Promise.all(pending)
  return waits.sort((a, b) => a - b)
}

async function judge(name: string, waits: readonly number[]): Promise<void> {
  const [median, p99] = [quantile(waits, 0.5), quantile(waits, 0.99)]
  const { longestTurnMs } = await server.observe()
  const [shown, turn] = [`${median.toFixed(0)} / ${p99.toFixed(0)} ms`, longestTurnMs.toFixed(0)]
  console.log(
    `${name}: a neighbour waits ${shown} (median / p99 of ${waits.length}); longest turn ${turn} ms`,
  )
  expect(longestTurnMs).toBeLessThan(maxTurnMs)
  expect(p99).toBeLessThan(maxWaitMs)
}

test('requests that search 100,000 runs 18 times at once make no neighbour wait for 250 ms', async () => {
  const waits = await waitsBeside(async () => {
    const answers = await Promise.all(Array.from({ length: 2 }, () => server.graphql(query(9))))
    for (const { body } of answers) {
      expect(body.errors).toBeUndefined()
      expect(Object.values(body.data as object)).toEqual(Array(9).fill({ nodes: [] }))
    }
  })
  await judge('searches', waits)
})

test('one request with 45 searches is refused for its cost', async () => {
  const { body } = await server.graphql(query(45))
  expect(JSON.stringify(body.errors)).toMatch(/cost/i)
})
