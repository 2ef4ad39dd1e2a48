import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { allRuns, type RunFilter, type RunRow } from '../../../src/domain/runs/run-store.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { explain } from '../databases/read-rows.ts'
import { keptRun } from './kept-run.ts'

const wanted = {
  runId: randomUUID(),
  txnId: randomUUID(),
  caseId: 9,
  functionVersion: 'f'.repeat(64),
  functionId: 5,
  outcome: 'fail',
  state: 'lost',
  trigger: 'hook',
  replayOf: randomUUID(),
  nameStart: 're',
  startedAfter: 1_999,
  startedBefore: 2_001,
} as const satisfies RunFilter

const members = Object.keys(wanted) as (keyof RunFilter)[]
const { nameStart: _, startedAfter, startedBefore, ...facts } = wanted
const run = keptRun({ ...facts, name: 'replay', startedAt: 2_000 })

// Runs that differ from `run` in one member, by that member.
const others: readonly (readonly [keyof RunFilter, RunRow])[] = [
  ...(Object.keys(facts) as (keyof typeof facts)[]).map(
    member => [member, { ...run, runId: randomUUID(), [member]: keptRun()[member] }] as const,
  ),
  ['nameStart', { ...run, runId: randomUUID(), name: 'other' }],
  ['startedAfter', { ...run, runId: randomUUID(), startedAt: startedAfter }],
  ['startedBefore', { ...run, runId: randomUUID(), startedAt: startedBefore }],
]

const combinations: readonly (readonly (keyof RunFilter)[])[] = members.flatMap((first, at) => [
  [first],
  ...members
    .slice(at + 1)
    .flatMap((second, after) => [
      [first, second],
      ...members.slice(at + after + 2).map(third => [first, second, third]),
    ]),
])

// SQLite shows a statement with its values, and shortens long ones.
const withoutValues = (sql: string) =>
  sql.replace(/'[^']*'(?:\/\*\+\d+ bytes\*\/)?|\b\d+(?:\.0)?\b|\bnull\b/gi, '?')

eachStore(harness => {
  const statements = new Set<string>()
  let store: Store
  beforeEach(async () => {
    store = await harness.open({ onStatement: sql => statements.add(withoutValues(sql)) })
    const inserts = [run, ...others.map(([, other]) => other)]
    await store.runs.write('a', 'one', { inserts, ends: [] })
  })

  test('members of a filter select together, and share a few statements', async () => {
    statements.clear()
    for (const given of combinations) {
      const filter = { ...allRuns, ...Object.fromEntries(given.map(member => [member, wanted[member]])) }
      const { runs } = await store.runs.look('a', filter, null, 100)
      const left = others.filter(([member]) => !given.includes(member) && !given.includes('runId'))
      const found = new Set(runs.map(({ runId }) => runId))
      expect(found, given.join()).toEqual(
        new Set([run, ...left.map(([, other]) => other)].map(({ runId }) => runId)),
      )
    }
    expect(combinations).toHaveLength(298)
    expect(statements.size).toBeLessThanOrEqual(19)
  })

  test.each([
    ['caseId', 'outcome'],
    ['functionVersion', 'outcome'],
    ['functionId', 'outcome'],
    ['functionId', 'state'],
    ['outcome', 'functionId'],
  ] as const)('one look finds the only run among many of one %s by its %s', async (many, few) => {
    const common = { ...keptRun(), [many]: wanted[many], texts: {} }
    const only = { ...common, runId: randomUUID(), [few]: wanted[few] }
    const inserts = [only, ...Array.from({ length: 1_100 }, () => ({ ...common, runId: randomUUID() }))]
    await store.runs.write('b', 'one', { inserts, ends: [] })
    const filter = { ...allRuns, [many]: wanted[many], [few]: wanted[few] }
    const { runs, next } = await store.runs.look('b', filter, null, 100)
    expect(runs.map(({ runId }) => runId)).toEqual([only.runId])
    expect(next).toBeNull()
  })

  // Each of these indexes has only the runs that have a value in its column.
  test.each([
    ['functionId', 'runs_by_function', 'function_id'],
    ['functionVersion', 'runs_by_version', 'function_version'],
    ['caseId', 'runs_by_case', 'case_id'],
    ['replayOf', 'runs_by_replayed', 'replay_of'],
  ] as const)('a filter by %s finds its runs along %s', async (member, index, column) => {
    const { runs, plansOf } = await openToExplain()
    const filter = { ...allRuns, [member]: wanted[member] }
    const plans = await plansOf(async () => {
      await runs.look('a', filter, null, 100)
      await runs.look('a', { ...filter, outcome: 'fail', startedAfter }, null, 100)
    })
    for (const plan of plans) expect(plan).toContain(`${index} (account_code=? AND ${column}=? AND id<?)`)
  })

  test.each([
    ['pageByFunctions', 'runs_by_function', 'function_id'],
    ['pageByCases', 'runs_by_case', 'case_id'],
    ['pageByQueuedRuns', 'runs_by_queued_run', 'queued_run_id'],
  ] as const)('%s finds the runs of each parent along %s', async (method, index, column) => {
    const { runs, plansOf } = await openToExplain()
    const page = { after: null, before: null, limit: 10, fromEnd: true }
    const plans = await plansOf(() => runs[method]('a', [5, 9], page))
    for (const plan of plans)
      expect(plan).toContain(`${index} (account_code=? AND ${column}=? AND id>? AND id<?)`)
  })

  /** A store, and the plans of the statements that an action asks it. None on PostgreSQL, which plans by its rows. */
  async function openToExplain() {
    const url = await harness.freshUrl()
    const asked: string[] = []
    const { runs } = await harness.open({ url, onStatement: sql => asked.push(sql) })
    async function plansOf(action: () => Promise<unknown>): Promise<string[]> {
      asked.length = 0
      await action()
      expect(asked).not.toEqual([])
      if (harness.engine !== 'SQLite') return []
      return Promise.all(asked.map(async text => (await explain(url, text)).join()))
    }
    return { runs, plansOf }
  }
})
