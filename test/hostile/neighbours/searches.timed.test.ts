import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMembership } from '../../server/clients/memberships.ts'
import { type ObservedServer, startObservedServer } from '../../server/gateways/start-server.ts'
import { usualPatience } from '../../server/processes/patience.ts'
import { writeRows } from '../../store/databases/write-rows.ts'
import { quantile } from './steady-load.ts'

const maxWaitMs = 250
// Of the processor, for one turn of the event loop.
const maxTurnMs = 50

let server: ObservedServer
let neighbour: string

beforeAll(async () => {
  server = await startObservedServer({ ...usualPatience, LOG_LEVEL: 'warn' })
  neighbour = await server.token({ account: 'neighbour', user: 1 })
  const url = server.settings.DATABASE_URL ?? ''
  await writeRows(
    url,
    `insert into runs (account_code, id, run_id, state, outcome, "trigger", name, function_id, function_version,
        case_id, queued_run_id, txn_id, txn_source, attempt, scopes, started_at, dry_run, text_bytes, gateway)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
      select 'demo', i, 'run-' || i, 'ended', 'exit', 'hook', '"recalculate"', 1, '${'f'.repeat(64)}', i % 100,
        i % 100, '00000000-0000-4000-8000-000000000000', '"hook|incident/recalculate|2026-11-20T10:00:00.000Z"', 1,
        'cases:read', i, 0, '{"input":2000}', 'gone' from n`,
  )
  await writeRows(
    url,
    `insert into case_types (account_code, code, indexed_fields, written_fields, revision, created_at)
      values ('demo', 'incident', '[]', '[]', 1, 0)`,
  )
  await writeRows(
    url,
    `insert into cases (account_code, id, case_type_code, data, data_bytes, version, created_at, updated_at)
      select 'demo', id, 'incident', '{}', 2, 1, 0, 0 from runs where id < 100`,
  )
  await writeRows(
    url,
    `insert into queued_runs (account_code, id, state, "trigger", function_id, name, txn_id, generation, caused_by,
        scopes, attempt, due_at, created_at)
      select 'demo', id, case when id < 100 then 'waiting' else 'dead' end, 'hook', 1, '"x"', txn_id, 0, '{}', '', 1,
        4000000000000, 0 from runs`,
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

interface Judgement {
  readonly median: number
  readonly longestTurnMs: number
}

async function judge(name: string, waits: readonly number[]): Promise<Judgement> {
  const [median, p99] = [quantile(waits, 0.5), quantile(waits, 0.99)]
  const { longestTurnMs } = await server.observe()
  const [shown, turn] = [`${median.toFixed(0)} / ${p99.toFixed(0)} ms`, longestTurnMs.toFixed(0)]
  console.log(
    `${name}: a neighbour waits ${shown} (median / p99 of ${waits.length}); longest turn ${turn} ms`,
  )
  return { median, longestTurnMs }
}

test('requests that search 100,000 runs 9 times at once make no neighbour wait for 250 ms', async () => {
  const waits = await waitsBeside(async () => {
    const answers = await Promise.all(Array.from({ length: 1 }, () => server.graphql(query(9))))
    for (const { body } of answers) {
      expect(body.errors).toBeUndefined()
      expect(Object.values(body.data as object)).toEqual(Array(9).fill({ nodes: [] }))
    }
  })
  // The processor time of a turn does not depend on what else the machine runs, as the longest waits do.
  const { median, longestTurnMs } = await judge('searches', waits)
  expect(longestTurnMs).toBeLessThan(maxTurnMs)
  expect(median).toBeLessThan(maxWaitMs)
})

test('pages of 90,000 runs and the attempts of queued runs hold the event loop for less than 250 ms', async () => {
  const waits = await waitsBeside(async () => {
    const pages = await server.graphql(
      '{ cases(first: 90) { nodes { runs(first: 1000) { nodes { id } } } } }',
    )
    const cases = (pages.body.data as { cases: { nodes: { runs: { nodes: unknown[] } }[] } }).cases.nodes
    expect(cases.map(({ runs }) => runs.nodes.length)).toEqual(Array(90).fill(1_000))
    const attempts = await server.graphql(
      '{ queuedRuns(state: WAITING, first: 90) { nodes { runs { id } } } }',
    )
    const { nodes } = (attempts.body.data as { queuedRuns: { nodes: { runs: unknown[] }[] } }).queuedRuns
    expect(nodes.map(({ runs }) => runs.length)).toEqual(Array(90).fill(10))
  })
  // All edges of an answer with 90,000 nodes are made in one turn.
  expect((await judge('pages', waits)).longestTurnMs).toBeLessThan(maxWaitMs)
})

test('one request with 45 searches is refused for its cost', async () => {
  const { body } = await server.graphql(query(45))
  expect(JSON.stringify(body.errors)).toMatch(/cost/i)
})
