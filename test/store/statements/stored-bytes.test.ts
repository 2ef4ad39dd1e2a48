import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { Case, CaseCommit } from '../../../src/domain/cases/case-store.ts'
import type { QueuedEnd } from '../../../src/domain/queue/queue-store.ts'
import type { RunRow, RunTexts } from '../../../src/domain/runs/run-store.ts'
import type { Store } from '../../../src/domain/store.ts'
import { storedRowBytes } from '../../../src/domain/store-limits.ts'
import { saveFunction, versionOf } from '../cases/save-function.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { readRows } from '../databases/read-rows.ts'
import { keptRun as runOf } from '../runs/kept-run.ts'
import { queuedRun } from '../runs/queued-run.ts'
import { sweep } from '../runs/sweep.ts'

const error = { code: 'RUNTIME', message: 'it broke', line: 1, column: null, stack: null } as const
const full = { code: 'OVERLOADED', retryAfterSeconds: 60 }

// The texts of each table; a row counts besides.
const tables = {
  cases: 'octet_length(data)',
  case_events: "octet_length(coalesce(changed_fields, '')) + octet_length(coalesce(long_fields, ''))",
  membership_events: '0',
  functions: '0',
  removed_functions: '0',
  function_versions: 'source_bytes',
  runs: '0',
  run_inputs: `octet_length(coalesce(input, '')) + octet_length(coalesce(options, '')) - ${storedRowBytes}`,
  run_outputs: `octet_length(coalesce(payload, '')) + octet_length(coalesce(message, ''))
    + octet_length(coalesce(error, '')) + octet_length(coalesce(logs, '')) - ${storedRowBytes}`,
  queued_inputs: 'octet_length(input) + octet_length(options)',
  queued_runs: '0',
}

function keptRun(texts: RunTexts, rest: Partial<RunRow> = {}): RunRow {
  const sizes = Object.entries(texts).map(([kind, text]) => [kind, Buffer.byteLength(text)])
  return runOf({ texts, textBytes: Object.fromEntries(sizes), ...rest })
}

eachStore(harness => {
  let url: string
  let store: Store
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url })
  })

  /** What the rows of the account take. */
  async function recount(accountCode = 'a'): Promise<number> {
    const counts = Object.entries(tables).map(
      ([table, bytes]) =>
        `select coalesce(sum(${storedRowBytes} + ${bytes}), 0) as bytes
          from ${table} where account_code = '${accountCode}'`,
    )
    const rows = await readRows<{ bytes: number }>(url, counts.join(' union all '))
    return rows.reduce((sum, { bytes }) => sum + Number(bytes), 0)
  }
  const counted = () => store.accounts.findStoredBytes('a')

  const hooks = (count: number): CaseCommit['after'] => ({
    event: 'post-save',
    hooks: Array.from({ length: count }, (_, id) => ({ id, functionId: 1, functionName: 'f', scopes: [] })),
    generation: 0,
    causedBy: { userId: 7, subject: null, email: null, displayName: null },
  })
  async function commit(given: Partial<CaseCommit>, at = store): Promise<Case | null> {
    const data = given.data ?? null
    const done = await at.cases.commit({
      ...{ origin: by('a'), caseTypeCode: 'incident', read: null, revision: 0, data, values: null },
      ...{ changedFields: `{"a":[${data},null]}`, functionName: null, runs: null, runIds: [], after: null },
      ...{ previousData: null, leaseHolder: 'me', ...given },
    })
    return done.kind === 'committed' ? done.row : null
  }
  const claim = async (maxRuns: number) =>
    (await store.queue.claim({ holder: randomUUID(), leaseMs: 15_000, maxRuns, retryAfterMs: () => 0 })).runs
  const settle = (runs: readonly { id: number; holder: string }[], end: QueuedEnd['end']) =>
    store.queue.finishAttempts(
      'a',
      runs.map(({ id, holder }) => ({
        ...{ id, holder, end },
        runs: { gateway: 'one', inserts: [keptRun({ input: '[1]', logs: '["é"]' })], ends: [] },
      })),
    )

  test('after work of every kind, the count is what the rows take', async () => {
    const check = async () => {
      expect(await counted()).toBe(await recount())
      return counted()
    }
    const data = `{"é":"${'x'.repeat(5_000)}"}`
    const running = keptRun({ input: '{}' }, { state: 'running', outcome: null, durationMs: null })
    const runs = { gateway: 'one', inserts: [keptRun({ payload: data, logs: '[]' }), running], ends: [] }
    const made = await commit({ data, runs, after: hooks(10) })
    expect(await check()).toBeGreaterThan(4 * 5_000)
    const ended = { ...keptRun({ input: '{}', payload: '"done"' }), runId: running.runId }
    const saved = await commit({
      data: '{}',
      read: made,
      runs: { gateway: 'one', inserts: [], ends: [ended] },
    })
    await check()

    await settle(await claim(4), { kind: 'done' })
    await settle(await claim(2), { kind: 'dead', error })
    await settle(await claim(1), { kind: 'again', afterMs: 60_000, error })
    await settle(await claim(1), { kind: 'released' })
    await check()
    const [dead, other] = await store.queue.list('a', 'dead', 0, 2)
    await store.queue.retry(by('a'), dead?.id ?? 0)
    await store.queue.cancel(by('a'), other?.id ?? 0)
    await store.queue.enqueue(by('a'), [queuedRun(), queuedRun({ input: '"é"' })])
    await check()

    const limits = { functions: 10, versions: 2 }
    for (const source of ['exit(1)', 'exit(2)', 'exit(2)', 'exit("é")']) {
      await saveFunction(store, versionOf(source), by('a'), limits)
    }
    const { id } = await saveFunction(store, versionOf('exit(3)', { name: 'other' }))
    await store.functions.remove(by('a'), id)
    await store.memberships.add(by('a'), { userId: 1, teamId: 1 })
    await store.memberships.move(by('a'), 1, { teamId: 2 }, null)
    await commit({ read: saved, previousData: '{}', after: hooks(2) })
    const before = await check()

    for (const { id } of await store.queue.list('a', null, 0, 100)) await store.queue.cancel(by('a'), id)
    await sweep(store, { days: 30, count: 3, bytes: 2 ** 30, inputDays: 30 })
    await check()
    await sweep(store, { days: 30, count: 3, bytes: 2 ** 30, inputDays: -1 })
    await store.runs.deleteRemovedFunctions(-60_000, 5)
    expect(await check()).toBeLessThan(before)
    expect(
      (await readRows<{ count: number }>(url, 'select count(*) as count from queued_inputs'))[0],
    ).toEqual({
      count: harness.engine === 'SQLite' ? 0 : '0',
    })
  })

  test('a full account stores no case, event, function or queued run, and deletes still work', async () => {
    const made = await commit({ data: '{"a":1}' })
    await store.queue.enqueue(by('a'), [queuedRun()])
    const [max, before] = [await counted(), await recount()]
    const limited = await harness.open({ url, limits: { accountBytes: max } })
    for (const write of [
      () => commit({ data: '{}' }, limited),
      () => commit({ data: '{"a":2}', read: made }, limited),
      () => limited.queue.enqueue(by('a'), [queuedRun()]),
      () => saveFunction(limited, versionOf('exit(1)')),
    ]) {
      await expect(write()).rejects.toMatchObject(full)
    }
    await expect(commit({ data: '{}' }, limited)).rejects.toThrow(`stores ${max} bytes`)
    expect([await counted(), await recount()]).toEqual([max, before])
    expect(await commit({ data: '{}' }, store)).toMatchObject({ id: 2 })
    await store.queue.cancel(by('a'), 1)
    await commit({ read: made, changedFields: '{"a":[null,1]}' }, limited)
    expect(await limited.cases.findByIds('a', [1])).toEqual([])
    const other = await limited.cases.commit({
      ...{ origin: by('b'), caseTypeCode: 'incident', read: null, revision: 0, data: '{}', values: null },
      ...{ changedFields: '{}', functionName: null, runs: null, runIds: [], after: null },
      ...{ previousData: null, leaseHolder: 'me' },
    })
    expect(other.kind).toBe('committed')
  })

  test('a full account has room again for what was freed', async () => {
    await commit({ data: '{}' })
    const [id = 0] = await store.queue.enqueue(by('a'), [queuedRun({ input: `"${'x'.repeat(2_000)}"` })])
    const limited = await harness.open({ url, limits: { accountBytes: await counted() } })
    await expect(commit({ data: '{}' }, limited)).rejects.toMatchObject(full)
    await limited.queue.cancel(by('a'), id)
    expect(await commit({ data: '{}' }, limited)).toMatchObject({ id: 2 })
  })

  test('a run of a full account is kept without its texts', async () => {
    const limited = await harness.open({ url, limits: { accountBytes: 0 } })
    const running = keptRun({ input: '{}' }, { state: 'running', outcome: null })
    await store.runs.write('a', 'one', { inserts: [running], ends: [] })
    const ended = { ...keptRun({ input: '{}', payload: '[1]' }), runId: running.runId }
    await limited.runs.write('a', 'one', { inserts: [keptRun({ input: '{}' })], ends: [ended] })
    const kept = await limited.runs.findByRunIds('a', [running.runId])
    expect(kept).toMatchObject([{ state: 'ended', outcome: 'exit', textBytes: { input: 2 } }])
    expect(await counted()).toBe(2 * storedRowBytes + 2)
    expect(await counted()).toBe(await recount())
  })

  test('events of memberships fill an account too', async () => {
    for (const userId of [1, 2, 3]) await store.memberships.add(by('a'), { userId, teamId: 1 })
    const limited = await harness.open({ url, limits: { accountBytes: 3 * storedRowBytes } })
    const data = '{}'
    await expect(commit({ data }, limited)).rejects.toMatchObject(full)
    const made = await commit({ data })
    await store.queue.enqueue(by('a'), [queuedRun()])
    const [run = { id: 0, holder: '' }] = await claim(1)
    const row = keptRun({ input: '{}' })
    const runs = { gateway: 'one', inserts: [row], ends: [] }
    await limited.queue.finishAttempts('a', [{ ...run, end: { kind: 'done' }, runs }])
    const inCommit = keptRun({ input: '{}' })
    await commit({ read: made, runs: { ...runs, inserts: [inCommit] } }, limited)
    const kept = await store.runs.findByRunIds('a', [row.runId, inCommit.runId])
    expect(kept.map(({ textBytes }) => textBytes)).toEqual([{}, {}])
    expect(await counted()).toBe(await recount())
  })

  test('a full account gets no new membership and no move, and removals still work', async () => {
    const pair = (userId: number, teamId: number) => ({ userId, teamId })
    for (const userId of [1, 2, 3]) await store.memberships.add(by('a'), pair(userId, 1))
    const step = { key: 'key', number: 1 }
    const added = await store.memberships.add({ ...by('a'), step }, pair(4, 1))
    const limited = await harness.open({ url, limits: { accountBytes: await counted() } })
    const { memberships } = limited
    const rows = 'select id, user_id, team_id, version from team_memberships order by id'
    const before = await readRows(url, rows)
    for (const change of [
      () => memberships.add(by('a'), pair(5, 9)),
      () => memberships.move(by('a'), 1, { teamId: 9 }, null),
      () => memberships.changeMany(by('a'), { kind: 'add', items: [pair(5, 9)] }, 'partial'),
      () =>
        memberships.changeMany(
          by('a'),
          { kind: 'move', items: [{ id: 1, change: { teamId: 9 }, ifVersions: null }] },
          'atomic',
        ),
    ]) {
      await expect(change()).rejects.toMatchObject(full)
    }
    expect(await readRows(url, rows)).toEqual(before)
    expect(await limited.teams.findByIds('a', [9])).toEqual([])
    expect(await limited.users.findByIds('a', [5])).toEqual([])

    expect(await memberships.add({ ...by('a'), step }, pair(4, 1))).toEqual(added)
    expect(await memberships.add(by('a'), pair(1, 1))).toEqual({ kind: 'duplicate', existingId: 1 })
    const same = { kind: 'moved', membership: { id: 2, userId: 2, teamId: 1, version: 1 } }
    expect(await memberships.move(by('a'), 2, { teamId: 1 }, null)).toMatchObject(same)
    expect(await memberships.remove(by('a'), 1, null)).toMatchObject({ kind: 'removed' })
    const removal = { kind: 'remove', items: [{ id: 2, ifVersions: null }] } as const
    expect(await memberships.changeMany(by('a'), removal, 'atomic')).toMatchObject({ applied: true })
    expect(await memberships.add(by('b'), pair(1, 1))).toMatchObject({ kind: 'added' })
    expect(await counted()).toBe(await recount())
  })

  test('memberships that are added in one turn fill an account to its maximum, and not past it', async () => {
    const limited = await harness.open({ url, limits: { accountBytes: 12 * storedRowBytes } })
    const adds = Array.from({ length: 30 }, (_, userId) =>
      limited.memberships.add(by('a'), { userId: userId + 1, teamId: 1 }).then(
        ({ kind }) => kind,
        ({ code }) => code,
      ),
    )
    const done = Map.groupBy(await Promise.all(adds), kind => kind)
    expect(done.get('added')).toHaveLength(12)
    expect(done.get('OVERLOADED')).toHaveLength(18)
    expect(await counted()).toBe(12 * storedRowBytes)
  })

  test('runs that are written again count once, and change nothing', async () => {
    const running = keptRun({ input: '{}' }, { state: 'running', outcome: null })
    const ended = { ...keptRun({ input: '{}', payload: '[1]' }), runId: running.runId }
    const short = keptRun({ input: '{"a":1}', logs: '["é"]' })
    const write = (inserts: RunRow[], ends: RunRow[]) => store.runs.write('a', 'one', { inserts, ends })
    await write([running, short], [])
    await write([], [ended])
    const before = await counted()
    await write([short, keptRun({ input: '[]' }), running], [{ ...ended, state: 'lost' }])
    expect(await counted()).toBe(before + storedRowBytes + 2)
    expect(await counted()).toBe(await recount())
    expect(await store.runs.findByRunIds('a', [ended.runId])).toMatchObject([{ state: 'ended' }])
    const stray = await readRows(url, 'select id from run_inputs where id not in (select id from runs)')
    expect(stray).toEqual([])
  })

  test('writes at once never pass the maximum', async () => {
    const limits = { accountBytes: 20_000 }
    const stores = [await harness.open({ url, limits }), store]
    if (harness.engine === 'PostgreSQL') stores[1] = await harness.open({ url, limits })
    else stores[1] = stores[0] as Store
    const writes = Array.from({ length: 60 }, (_, index) =>
      commit({ data: `{"a":"${'x'.repeat(500)}"}` }, stores[index % 2]).then(
        () => 'stored',
        ({ code }) => code,
      ),
    )
    const done = await Promise.all(writes)
    expect(new Set(done)).toEqual(new Set(['stored', 'OVERLOADED']))
    expect(await counted()).toBeLessThanOrEqual(limits.accountBytes)
    expect(await counted()).toBe(await recount())
    expect(await counted()).toBeGreaterThan(limits.accountBytes - 2_000)
  })
})
