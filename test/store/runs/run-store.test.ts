import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createRunRecorder } from '../../../src/domain/runs/record-runs.ts'
import { allRuns, type RunFilter, type RunRow, type StoredRun } from '../../../src/domain/runs/run-store.ts'
import { createRuns } from '../../../src/domain/runs/runs.ts'
import { makeCause } from '../../../src/domain/scripts/run-cause.ts'
import type { Store } from '../../../src/domain/store.ts'
import { RostrumError } from '../../../src/errors.ts'
import { Pace } from '../../../src/fairness/pace.ts'
import { JsonText } from '../../../src/json/json-text.ts'
import { createLoaders } from '../../../src/store/batch-loaders.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { readRows } from '../databases/read-rows.ts'
import { writeRows } from '../databases/write-rows.ts'
import { readClock } from '../idempotency/read-clock.ts'
import { keptRun as runOf } from './kept-run.ts'
import { keepsAll, sweep } from './sweep.ts'

const day = 86_400_000
const now = Date.now()
const daysAgo = (days: number) => now - days * day
const version = 'f'.repeat(64)
const runParts = {
  scripts: { run: () => expect.unreachable() },
  deferRuns: () => expect.unreachable(),
  findLive: () => expect.unreachable(),
  findVersion: () => expect.unreachable(),
  waitForTurn: () => Promise.resolve(),
}

// Of the account `many`. Their start is their id, and some kinds are rare.
const thousandsOfRuns = `
  insert into runs (account_code, id, run_id, state, outcome, "trigger", name, function_id, function_version, case_id,
    txn_id, txn_source, attempt, scopes, started_at, dry_run, text_bytes, gateway)
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 9000)
  select 'many', i, 'run-' || i, case when i % 2900 = 0 then 'lost' else 'ended' end,
    case when i % 1999 = 1 then 'error' when i % 1500 = 0 then 'fail' else 'exit' end,
    case when i % 2000 = 1 then 'webhook' when i % 3 = 0 then 'hook' else 'endpoint' end,
    '"r"', i % 5, '${'f'.repeat(64)}', i % 10,
    case when i % 4 = 1 then '00000000-0000-4000-8000-000000000000' else 'other' end,
    '""', 1, '', i, 0, '{}', 'g' from n`

eachStore(harness => {
  let store: Store
  let url: string
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url })
  })

  const insert = (...inserts: RunRow[]) => store.runs.write('a', 'one', { inserts, ends: [] })
  async function list(
    filter: Partial<RunFilter>,
    before: number | null,
    limit: number,
    account = 'a',
    text: string | null = null,
  ) {
    const { list } = createRuns({ ...runParts, store: store.runs })
    const { signal } = new AbortController()
    return list({ accountCode: account, filter: { ...allRuns, ...filter }, text, before, limit, signal })
  }
  const idsOf = async (filter: Partial<RunFilter> = {}, account = 'a') =>
    (await list(filter, null, 100, account)).map(({ runId }) => runId)
  const textOf = async (kind: 'input' | 'options' | 'source' | 'payload', runId: string) => {
    const [run] = await store.runs.findByRunIds('a', [runId])
    return (await store.runs.findTexts('a', kind, [run?.id ?? 0]))[0]?.text ?? null
  }

  test('a run comes back as it was, with its long values', async () => {
    const run = runOf()
    await insert(run)
    const { texts, ...facts } = run
    expect(await store.runs.findByRunIds('a', [run.runId])).toEqual([{ ...facts, id: 1 }])
    expect(await textOf('payload', run.runId)).toBe(texts.payload)
    expect(await textOf('input', run.runId)).toBe('{}')
    expect(await textOf('options', run.runId)).toBeNull()
    expect(await store.runs.findByRunIds('b', [run.runId])).toEqual([])
    expect(await store.runs.findTexts('b', 'payload', [1])).toEqual([])
    expect(await idsOf({}, 'b')).toEqual([])
  })

  test('a running run ends in the same row', async () => {
    const run = runOf({ state: 'running', outcome: null, durationMs: null, texts: { input: '{}' } })
    await insert(run)
    expect(await idsOf({ state: 'running' })).toEqual([run.runId])
    const ended = { ...run, state: 'ended', outcome: 'fail', durationMs: 5, texts: { payload: '7' } } as const
    await store.runs.write('a', 'one', { inserts: [], ends: [ended] })
    expect(await store.runs.findByRunIds('a', [run.runId])).toMatchObject([
      { id: 1, state: 'ended', outcome: 'fail', durationMs: 5 },
    ])
    expect(await textOf('payload', run.runId)).toBe('7')
    expect(await textOf('input', run.runId)).toBe('{}')
  })

  test('each member of a filter selects its runs, the newest first', async () => {
    const plain = runOf({ startedAt: 1_000 })
    const special = runOf({
      trigger: 'hook',
      functionId: 5,
      functionVersion: version,
      caseId: 9,
      state: 'lost',
      outcome: 'fail',
      startedAt: 2_000,
    })
    await insert(plain, special)
    expect(await idsOf()).toEqual([special.runId, plain.runId])
    const filters: Partial<RunFilter>[] = [
      { trigger: 'hook' },
      { functionId: 5 },
      { functionVersion: version },
      { caseId: 9 },
      { txnId: special.txnId },
      { state: 'lost' },
      { outcome: 'fail' },
      { startedAfter: 1_000 },
      { startedAfter: 1_999, startedBefore: 2_001, trigger: 'hook', state: 'lost' },
    ]
    for (const filter of filters) expect(await idsOf(filter), JSON.stringify(filter)).toEqual([special.runId])
    expect(await idsOf({ startedBefore: 2_000 })).toEqual([plain.runId])
    const [first] = await list({}, null, 1)
    expect((await list({}, first?.id ?? 0, 10)).map(({ runId }) => runId)).toEqual([plain.runId])
    const page = { after: null, before: null, limit: 10, fromEnd: true }
    expect(await store.runs.pageByFunctions('a', [5, 6], page)).toMatchObject([{ runId: special.runId }])
  })

  test('a text finds a run, a transaction or a case by its id, else the beginning of a name', async () => {
    const ofCase = runOf({ name: 'other', caseId: 42 })
    const named = runOf({ name: '42 "is" \\0 it \ud83c' })
    const twin = runOf({ name: 'Other', txnId: ofCase.txnId })
    await insert(ofCase, named, twin)
    const find = async (text: string, filter: Partial<RunFilter> = {}, account = 'a') =>
      (await list(filter, null, 100, account, text)).map(({ runId }) => runId)
    expect(await find(ofCase.runId)).toEqual([ofCase.runId])
    expect(await find(ofCase.txnId)).toEqual([twin.runId, ofCase.runId])
    expect(await find(ofCase.txnId, { caseId: 42 })).toEqual([ofCase.runId])
    expect(await find('42')).toEqual([ofCase.runId])
    expect(await find('42', { caseId: 43 })).toEqual([])
    expect(await find('4')).toEqual([named.runId])
    for (const text of ['42 ', '42 "is"', '42 "is" \\0 it', '42 "is" \\0 it \ud83c']) {
      expect(await find(text), text).toEqual([named.runId])
    }
    expect(await find('o')).toEqual([ofCase.runId])
    for (const text of ['ther', '%', '_', '42"', '\ud83c', '99999999999999999999', randomUUID()]) {
      expect(await find(text), text).toEqual([])
    }
    expect(await find(ofCase.runId, {}, 'b')).toEqual([])
  })

  test('the figures of the last hour are those of its runs, the newest 10,000 at most', async () => {
    const { stats } = createRuns({ ...runParts, store: store.runs })
    const count = (filter: Partial<RunFilter> = {}, text: string | null = null, accountCode = 'a') =>
      stats({ accountCode, filter: { ...allRuns, ...filter }, text })
    const minute = 60_000
    const started = now - (now % minute) - 5 * minute
    const timed = [4, 1, 3, 2].map((durationMs, index) =>
      runOf({ durationMs, startedAt: started + (index % 2) * minute, outcome: 'exit' }),
    )
    const failed = runOf({ durationMs: 100, startedAt: started, outcome: 'fail', caseId: 9 })
    const going = runOf({ state: 'running', outcome: null, durationMs: null, startedAt: started })
    await insert(runOf({ startedAt: daysAgo(1) }), ...timed, failed, going)
    const all = await count()
    expect(all).toEqual({
      minutes: [
        { at: new Date(started), runs: 4 },
        { at: new Date(started + minute), runs: 2 },
      ],
      outcomes: [
        { outcome: 'exit', runs: 4 },
        { outcome: 'fail', runs: 1 },
        { outcome: 'error', runs: 0 },
      ],
      ...{ p50Ms: 3, p95Ms: 100, p99Ms: 100, counted: 6, isComplete: true },
    })
    expect(await count({}, '9')).toMatchObject({ counted: 1, p50Ms: 100, isComplete: true })
    expect(await count({ trigger: 'webhook' })).toMatchObject({ minutes: [], counted: 0, p50Ms: null })
    expect(await count({ functionVersion: 'nonsense' })).toMatchObject({ counted: 0, isComplete: true })
    expect(await count({}, null, 'b')).toMatchObject({ counted: 0, isComplete: true })
    // The same figures are returned for some seconds.
    await insert(runOf({ startedAt: started }))
    expect(await count()).toBe(all)
  })

  test('of more than 10,000 runs the figures are not complete, unless the others are older than an hour', async () => {
    const { stats } = createRuns({ ...runParts, store: store.runs })
    const count = (filter: Partial<RunFilter> = {}) =>
      stats({ accountCode: 'many', filter: { ...allRuns, ...filter }, text: null })
    await store.runs.write('many', 'one', { inserts: [runOf()], ends: [] })
    await writeRows(url, `delete from runs`)
    await writeRows(url, thousandsOfRuns)
    await writeRows(url, `update runs set started_at = case when id > 2500 then ${now} else 1 end`)
    expect(await count()).toMatchObject({ counted: 6_500, isComplete: true })
    const webhooks = await count({ trigger: 'webhook' })
    expect(webhooks.isComplete).toBe(true)
    await writeRows(url, `delete from runs`)
    await writeRows(url, thousandsOfRuns.replace('9000', '10500'))
    await writeRows(url, `update runs set started_at = ${now}`)
    const fresh = createRuns({ ...runParts, store: store.runs })
    const request = { accountCode: 'many', filter: allRuns, text: null }
    expect(await fresh.stats(request)).toMatchObject({ counted: 10_000, isComplete: false })
  })

  test('runs that began before the clock was set back are not of the last hour', async () => {
    const starts = [now + 3_650 * day, now + 2 * 3_600_000, now + 300_000, now, now - 2 * 3_600_000]
    await insert(...starts.map(startedAt => runOf({ startedAt })))
    const { stats } = createRuns({ ...runParts, store: store.runs })
    const { counted, minutes } = await stats({ accountCode: 'a', filter: allRuns, text: null })
    const begun = [now, now + 300_000].map(ms => new Date(ms - (ms % 60_000)))
    expect([counted, minutes.map(({ at }) => at)]).toEqual([2, begun])
  })

  describe('among 9,000 runs', () => {
    // Each filter matches runs at both ends and at other distances than the rows of a look.
    const filters: Partial<RunFilter>[] = [
      { trigger: 'webhook' },
      { trigger: 'endpoint' },
      { runId: '00000000-0000-4000-8000-000000000000' },
      { startedAfter: 8_995 },
      { startedAfter: 10_000 },
      { startedBefore: 5 },
      { startedAfter: 3_000, startedBefore: 3_004 },
      { caseId: 1, trigger: 'webhook' },
      { outcome: 'exit', trigger: 'webhook' },
      { outcome: 'error', state: 'ended' },
      { functionId: 3, outcome: 'fail' },
      { functionId: 3, caseId: 1, trigger: 'endpoint', startedAfter: 100 },
      { functionVersion: version, caseId: 0 },
      { state: 'lost', trigger: 'hook' },
      { txnId: '00000000-0000-4000-8000-000000000000', trigger: 'webhook' },
    ]

    beforeEach(async () => {
      await store.runs.write('many', 'one', { inserts: [runOf()], ends: [] })
      await writeRows(url, `delete from runs`)
      await writeRows(url, thousandsOfRuns)
    })

    const matches = (
      run: StoredRun,
      { startedAfter = null, startedBefore = null, ...rest }: Partial<RunFilter>,
    ) =>
      Object.entries(rest).every(([name, value]) => run[name as keyof StoredRun] === value) &&
      (startedAfter === null || run.startedAt > startedAfter) &&
      (startedBefore === null || run.startedAt < startedBefore)

    // The pages of several parents are read in groups, each of a bounded number of rows.
    async function expectPagesOfCases(everything: readonly StoredRun[]) {
      const pace = new Pace(() => Promise.resolve())
      const { waitForTurn } = runParts
      const loaders = createLoaders({
        ...{ store, accountCode: 'many', pace },
        waitForTurn: () => waitForTurn(),
      })
      const newest = { after: null, before: null, limit: 700, fromEnd: true }
      const caseIds = Array.from({ length: 10 }, (_, id) => id)
      const pages = await Promise.all(caseIds.map(id => loaders.runsOfCase(id, newest)))
      for (const [caseId, page] of pages.entries()) {
        const ofCase = everything.filter(run => run.caseId === caseId).slice(0, 700)
        expect(page).toEqual(ofCase.toReversed())
      }
    }

    test('a page has the newest matches, however far apart, and the next page goes on after it', async () => {
      const everything = await list({}, null, 10_000, 'many')
      expect(everything.map(({ id }) => id)).toEqual(Array.from({ length: 9_000 }, (_, n) => 9_000 - n))
      for (const filter of filters) {
        const expected = everything.filter(run => matches(run, filter)).map(({ id }) => id)
        const found: number[] = []
        for (let page = await list(filter, null, 7, 'many'); page.length > 0; ) {
          found.push(...page.map(({ id }) => id))
          if (found.length >= 28) break
          page = await list(filter, found.at(-1) ?? null, 7, 'many')
        }
        expect(found, JSON.stringify(filter)).toEqual(expected.slice(0, 28))
        const whole = await list(filter, null, 10_000, 'many')
        expect(
          whole.map(({ id }) => id),
          JSON.stringify(filter),
        ).toEqual(expected)
      }
      // A look reads a bounded number of rows, and says where the next one goes on.
      const never = { ...allRuns, trigger: 'endpoint', startedAfter: 10_000 } as const
      expect(await store.runs.look('many', never, null, 10)).toEqual({ runs: [], next: 8_001 })
      expect(await store.runs.look('many', never, 1_000, 10)).toEqual({ runs: [], next: null })
      await expectPagesOfCases(everything)
    })
  })

  test('runs of a dead gateway are lost, those of a living one go on', async () => {
    const [dead, living] = [1, 2].map(() => runOf({ state: 'running', outcome: null }))
    if (dead === undefined || living === undefined) throw new Error('two runs')
    await store.runs.write('a', 'dead', { inserts: [dead], ends: [] })
    await store.runs.write('a', 'living', { inserts: [living], ends: [] })
    expect(await store.runs.beat('living', 15_000)).toBe(true)
    await store.runs.markLost(15_000)
    expect(await idsOf({ state: 'lost' })).toEqual([dead.runId])
    expect(await idsOf({ state: 'running' })).toEqual([living.runId])
  })

  test('one of the living gateways sweeps', async () => {
    const beats = []
    for (const gateway of ['c', 'a', 'b', 'c']) beats.push(await store.runs.beat(gateway, 15_000))
    expect(beats).toEqual(store.runs.isShared ? [true, true, false, false] : [true, true, true, true])
  })

  test('a gateway that died before the clock was set back is not alive for as long', async () => {
    await store.runs.beat('another', 15_000)
    const ahead = store.runs.isShared ? `seen_at + interval '10 years'` : `seen_at + ${3_650 * day}`
    await writeRows(url, `update gateways set seen_at = ${ahead}`)
    await store.runs.beat('living', 15_000)
    const seen = await readRows<{ id: string; at: Date | number }>(
      url,
      'select id, seen_at as at from gateways',
    )
    expect(seen.map(({ id }) => id).sort()).toEqual(store.runs.isShared ? ['another', 'living'] : ['living'])
    for (const { at } of seen) expect(Number(at)).toBeLessThan((await readClock(url)) + 1_000)
  })

  test('old runs, runs past the maximum and old inputs are deleted', async () => {
    const old = runOf({ startedAt: daysAgo(31) })
    const aged = runOf({ startedAt: daysAgo(8) })
    const recent = Array.from({ length: 5 }, () => runOf())
    await insert(old, aged, ...recent)
    await sweep(store, keepsAll)
    expect(await idsOf()).toEqual([...recent.toReversed(), aged].map(({ runId }) => runId))
    expect(await textOf('input', aged.runId)).toBeNull()
    expect(await textOf('payload', aged.runId)).not.toBeNull()
    expect(await textOf('input', recent[0]?.runId ?? '')).toBe('{}')
    await sweep(store, { ...keepsAll, count: 2 })
    expect(await idsOf()).toEqual(
      recent
        .slice(-2)
        .toReversed()
        .map(({ runId }) => runId),
    )
  })

  test('a gateway whose clock is wrong deletes by the clock of the store', async () => {
    const old = runOf({ startedAt: daysAgo(31) })
    const recent = runOf()
    await insert(old, recent)
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now + 3_650 * day)
    onTestFinished(() => void vi.restoreAllMocks())
    await sweep(store, keepsAll)
    expect(await idsOf()).toEqual([recent.runId])
    expect(await textOf('input', recent.runId)).toBe('{}')
    await insert(old)
    clock.mockReturnValue(0)
    await sweep(store, keepsAll)
    expect(await idsOf()).toEqual([recent.runId])
  })

  test('the oldest runs past the bytes of an account are deleted, those of other accounts stay', async () => {
    const runs = Array.from({ length: 30 }, () => runOf({ textBytes: { input: 60, payload: 40 } }))
    await insert(...runs.slice(0, 10))
    await insert(...runs.slice(10))
    const other = runOf({ textBytes: { input: 100 } })
    await store.runs.write('b', 'one', { inserts: [other], ends: [] })
    await sweep(store, { ...keepsAll, bytes: 500 })
    expect(await idsOf()).toEqual(
      runs
        .slice(-5)
        .toReversed()
        .map(({ runId }) => runId),
    )
    expect(await store.runs.findByRunIds('b', [other.runId])).toHaveLength(1)
  })

  test('the bytes of a long run count once: those of its input at once, the others when it ends', async () => {
    const long = runOf({ state: 'running', outcome: null, textBytes: { input: 10 } })
    await insert(long)
    const ended = {
      ...long,
      state: 'ended',
      outcome: 'exit',
      textBytes: { input: 10, payload: 1_000 },
    } as const
    await store.runs.write('a', 'one', { inserts: [], ends: [ended] })
    await sweep(store, { ...keepsAll, bytes: 1_010 })
    expect(await idsOf()).toEqual([long.runId])
    await sweep(store, { ...keepsAll, bytes: 1_009 })
    expect(await idsOf()).toEqual([])
  })

  test('a version that a run refers to stays, also when its function is removed', async () => {
    const version = { caseTypeCode: null, sourceBytes: 1, comment: null, makeLive: false }
    const save = (hash: string) =>
      store.functions.save(
        by('a'),
        { name: 'f', ...version, hash, sourceCode: hash },
        { functions: 9, versions: 2 },
      )
    const hashesOf = async (id: number) =>
      (
        await store.functions.pageVersions('a', [id], { after: null, before: null, limit: 9, fromEnd: false })
      ).map(({ hash }) => hash)
    const { id } = (await save('1')).function
    await insert(runOf({ functionId: id, functionVersion: '2', startedAt: 1 }))
    for (const hash of ['2', '3', '4', '5']) await save(hash)
    expect(await hashesOf(id)).toEqual(['1', '2', '4', '5'])
    await store.functions.remove(by('a'), id)
    const removed = () => store.functions.removed.findByIds('a', [id])
    expect(await removed()).toMatchObject([{ id, name: 'f', caseTypeCode: null }])
    expect(await store.runs.deleteRemovedFunctions(-1_000, 9)).toBe(0)
    await sweep(store, keepsAll)
    // Runs that are not written yet may refer to it.
    expect(await hashesOf(id)).toHaveLength(4)
    expect(await store.runs.deleteRemovedFunctions(-1_000, 9)).toBe(1)
    expect(await hashesOf(id)).toEqual([])
  })

  const keepRuns = (write = store.runs.write) =>
    createRunRecorder({ store: { write }, gateway: 'one', hideSecrets: text => text, onError: () => {} })
  const start = (runId: string) => ({
    ...runOf({ runId }),
    accountCode: 'a',
    cause: makeCause({ trigger: 'endpoint' }),
    input: '{"a":1}',
    writeOptions: () => '{"x":1}',
    sourceCode: 'exit(1)',
    bytes: 100,
  })
  const end = {
    outcome: 'exit',
    message: null,
    error: null,
    payload: new JsonText('8'),
    payloadBytes: 1,
    logs: [],
    calls: [],
    durationMs: 3,
  } as const

  test('runs whose answers wait for them are written at once, together', async () => {
    const groups: number[] = []
    const keeping = keepRuns((accountCode, gateway, writes) => {
      groups.push(writes.inserts.length)
      return store.runs.write(accountCode, gateway, writes)
    })
    const ids = Array.from({ length: 20 }, () => randomUUID())
    const answers = ids.map(async runId => {
      const runs = keeping.defer()
      runs.begin(start(runId)).end(end)
      runs.keep()
      await runs.whenKept()
      return (await idsOf({ state: 'ended' })).includes(runId)
    })
    expect(await Promise.all(answers)).toEqual(ids.map(() => true))
    expect(groups).toEqual([1, 19])
    await keeping.close()
  })

  test('a store that does not answer holds no answer, and gets the run later', async () => {
    let isDown = true
    const keeping = keepRuns(async (...given) => {
      if (isDown) throw new RostrumError('UNAVAILABLE', 'The store is down.')
      await store.runs.write(...given)
    })
    const runs = keeping.defer()
    const runId = randomUUID()
    runs.begin(start(runId)).end(end)
    runs.keep()
    await runs.whenKept()
    expect(await idsOf()).toEqual([])
    isDown = false
    await keeping.close()
    expect(await idsOf({ state: 'ended' })).toEqual([runId])
  })

  test.each([
    ['once if the store is silent', 5_000, 1],
    ['twice if the store is away', 10, 2],
  ])('a stop asks %s', async (_, silentMs, asked) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let writes = 0
    const keeping = keepRuns(async () => {
      writes += 1
      vi.advanceTimersByTime(silentMs)
      throw new RostrumError('UNAVAILABLE', 'The store is down.')
    })
    keeping.begin(start(randomUUID())).end(end)
    await keeping.close()
    expect(writes).toBe(asked)
  })

  test('a run that was written as running ends, although the answer of that write was lost', async () => {
    let isFirst = true
    const keeping = keepRuns(async (...given) => {
      await store.runs.write(...given)
      if (!isFirst) return
      isFirst = false
      throw new RostrumError('UNAVAILABLE', 'The answer was lost.')
    })
    const [direct, deferred] = [randomUUID(), randomUUID()]
    const recording = keeping.begin(start(direct))
    const runs = keeping.defer()
    const ofSave = runs.begin(start(deferred))
    await expect.poll(() => idsOf({ state: 'running' })).toHaveLength(2)
    recording.end(end)
    ofSave.end(end)
    const written = await runs.prepare()
    if (written !== null) await store.runs.write('a', written.gateway, written)
    await keeping.close()
    expect((await idsOf({ state: 'ended', outcome: 'exit' })).toSorted()).toEqual(
      [direct, deferred].toSorted(),
    )
    expect([await textOf('payload', direct), await textOf('payload', deferred)]).toEqual(['8', '8'])
    expect(await idsOf()).toHaveLength(2)
  })

  test('an account whose write takes long holds up no other', async () => {
    const slow = Promise.withResolvers<void>()
    const keeping = keepRuns(async (accountCode, ...given) => {
      if (accountCode === 'slow') await slow.promise
      await store.runs.write(accountCode, ...given)
    })
    keeping.begin({ ...start(randomUUID()), accountCode: 'slow' }).end(end)
    const runId = randomUUID()
    keeping.begin(start(runId)).end(end)
    await expect.poll(() => idsOf({ state: 'ended' })).toEqual([runId])
    slow.resolve()
    await keeping.close()
  })

  test('accounts whose runs have no end leave turns to another one', async () => {
    const busy = ['b', 'c', 'd', 'e']
    const keeping = keepRuns(async (accountCode, ...given) => {
      if (!busy.includes(accountCode)) return store.runs.write(accountCode, ...given)
      // The next run is there before this write ends.
      keeping.begin({ ...start(randomUUID()), accountCode }).end(end)
      await sleep(1)
    })
    for (const accountCode of busy) keeping.begin({ ...start(randomUUID()), accountCode }).end(end)
    const runId = randomUUID()
    keeping.begin(start(runId)).end(end)
    await expect.poll(() => idsOf({ state: 'ended' })).toEqual([runId])
    busy.splice(0)
    await keeping.close()
  })

  test('a run that had begun is kept although its result is lost', async () => {
    const keeping = keepRuns()
    const runId = randomUUID()
    keeping.begin(start(runId)).endWithoutResult()
    await keeping.close()
    expect(await idsOf({ state: 'ended', outcome: 'error' })).toEqual([runId])
  })

  test('a run whose row cannot be made is reported, and later runs are written', async () => {
    const keeping = keepRuns()
    const writeOptions = () => {
      throw new RangeError('The options are nested too deeply.')
    }
    const runs = keeping.defer()
    runs.begin({ ...start(randomUUID()), writeOptions }).end(end)
    runs.keep()
    await runs.whenKept()
    const runId = randomUUID()
    keeping.begin(start(runId)).end(end)
    await keeping.close()
    expect(await idsOf()).toEqual([runId])
  })

  test('recorded runs are written in groups, a long one as running first, and at the stop', async () => {
    const keeping = keepRuns()
    const [short, long] = [randomUUID(), randomUUID()]
    keeping.begin(start(short)).end(end)
    const sent = randomUUID()
    keeping.begin({ ...start(sent), sourceCode: `//${'é'.repeat(2 ** 17)}` }).end(end)
    const recording = keeping.begin(start(long))
    await expect.poll(() => idsOf({ state: 'running' })).toEqual([long])
    expect((await idsOf({ state: 'ended' })).toSorted()).toEqual([short, sent].toSorted())
    expect(await textOf('options', short)).toBe('{"x":1}')
    expect(await textOf('source', short)).toBe('"exit(1)"')
    // Of 256 KiB and two bytes.
    expect(await textOf('source', sent)).toBeNull()
    recording.end(end)
    await keeping.close()
    expect((await idsOf({ state: 'ended' })).toSorted()).toEqual([short, long, sent].toSorted())
    expect(await textOf('payload', long)).toBe('8')
    expect(await idsOf()).toHaveLength(3)
  })
})
