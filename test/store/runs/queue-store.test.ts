import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import type { ClaimRequest, QueuedEnd } from '../../../src/domain/queue/queue-store.ts'
import { maxWaiting } from '../../../src/domain/queue/waiting-limits.ts'
import type { CommittedRuns } from '../../../src/domain/runs/deferred-runs.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { writeRows } from '../databases/write-rows.ts'
import { queuedRun } from './queued-run.ts'
import { runRow } from './run-row.ts'
import { keepsAll, sweep } from './sweep.ts'

const failed = { code: 'RUNTIME', message: 'it broke', line: 1, column: null, stack: null } as const

eachStore(harness => {
  let store: Store
  let url: string
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url })
  })

  const enqueue = (accountCode: string, ...cases: number[]) =>
    store.queue.enqueue(
      by(accountCode),
      cases.map(caseId => queuedRun({ caseId })),
    )
  const claim = async (rest: Partial<ClaimRequest> = {}, from = store) =>
    from.queue.claim({ holder: randomUUID(), leaseMs: 15_000, maxRuns: 4, retryAfterMs: () => 0, ...rest })
  const claimIds = async (rest: Partial<ClaimRequest> = {}) =>
    (await claim(rest)).runs.map(({ accountCode, id }) => `${accountCode}${id}`)
  type Run = Awaited<ReturnType<typeof claim>>['runs'][number]
  const settle = async ({ accountCode, id, holder }: Run, end: QueuedEnd['end'] = { kind: 'done' }) =>
    (await store.queue.finishAttempts(accountCode, [{ id, holder, end, runs: null }])).ended
  const claimOne = async () => {
    const { runs } = await claim({ maxRuns: 1 })
    const [run] = runs
    if (run === undefined) throw new Error('No run is due.')
    return run
  }
  const statesOf = async (accountCode = 'a') =>
    (await store.queue.list(accountCode, null, 0, 1_000)).map(({ id, state, attempt }) => [
      id,
      state,
      attempt,
    ])

  test('a queued run is claimed once, with its frozen input', async () => {
    const run = queuedRun()
    expect(await store.queue.enqueue(by('a'), [run])).toEqual([1])
    const claimed = await claim()
    expect(claimed.runs).toEqual([
      { ...run, accountCode: 'a', id: 1, attempt: 1, holder: expect.any(String) },
    ])
    expect(claimed.nextInMs).not.toBeNull()
    expect((await claim()).runs).toEqual([])
    expect(await store.queue.findByIds('a', [1, 2])).toMatchObject([{ id: 1, state: 'running', attempt: 1 }])
    expect(await store.queue.findByIds('b', [1])).toEqual([])
  })

  test('runs of one hook on one case go in order, others do not wait', async () => {
    await enqueue('a', 1)
    await enqueue('a', 1)
    await enqueue('a', 2)
    await store.queue.enqueue(by('a'), [queuedRun({ triggerId: 2, caseId: 1 })])
    const first = await claim()
    expect(first.runs.map(({ id }) => id)).toEqual([1, 3, 4])
    expect((await claim()).runs).toEqual([])
    await settle(first.runs[0] as Run)
    expect(await claimIds()).toEqual(['a2'])
  })

  test('a run that is to be tried again holds up its lane, a dead one does not', async () => {
    await enqueue('a', 1)
    await enqueue('a', 1)
    await settle(await claimOne(), { kind: 'again', afterMs: 60_000, error: failed })
    expect(await claimIds()).toEqual([])
    expect(await store.queue.findByIds('a', [1])).toMatchObject([
      { state: 'waiting', attempt: 2, lastError: failed },
    ])
    await enqueue('a', 2)
    expect(await claimIds()).toEqual(['a3'])
    await enqueue('b', 1)
    await enqueue('b', 1)
    await settle(await claimOne(), { kind: 'dead', error: failed })
    expect(await claimIds()).toEqual(['b2'])
    expect(await store.queue.list('b', 'dead', 0, 10)).toMatchObject([
      { id: 1, state: 'dead', lastError: failed },
    ])
  })

  test('accounts take turns, the one that was served longest ago first', async () => {
    await enqueue('a', ...Array.from({ length: 50 }, (_, index) => index + 1))
    await enqueue('b', 1)
    await enqueue('c', 1, 2, 3)
    expect(await claimIds()).toEqual(['a1', 'a2', 'b1', 'c1'])
    // Times are in whole milliseconds. Of accounts that were served in the same one, the first by code is next.
    await sleep(2)
    expect(await claimIds({ maxRuns: 1 })).toEqual(['a3'])
    expect(await claimIds({ maxRuns: 1 })).toEqual(['c2'])
    expect(await claimIds({ maxRuns: 1 })).toEqual(['a4'])
    await enqueue('d', 1)
    await sleep(2)
    expect((await claimIds({ maxRuns: 2 })).toSorted()).toEqual(['a5', 'c3'])
    expect(await claimIds({ maxRuns: 1 })).toEqual(['d1'])
  })

  test('a run whose lease has ended is due again after its retry time, and its holder changes nothing', async () => {
    await enqueue('a', 1)
    const late = await claim({ leaseMs: 1 })
    await sleep(5)
    expect((await claim({ retryAfterMs: attempt => 1_000 * attempt })).runs).toEqual([])
    expect(await store.queue.list('a', 'waiting', 0, 1)).toMatchObject([
      { attempt: 2, lastError: { code: 'CRASHED' } },
    ])
    const held = late.runs[0] as Run
    expect(await store.queue.renew('a', [held], 15_000)).toEqual([])
    expect(await settle(held)).toEqual([])
    expect(await settle(held, { kind: 'dead', error: failed })).toEqual([])
    expect(await statesOf()).toEqual([[1, 'waiting', 2]])
  })

  test('a run whose last lease has ended is dead', async () => {
    await enqueue('a', 1)
    await enqueue('a', 1)
    await claim({ leaseMs: 1 })
    await sleep(5)
    await claim({ retryAfterMs: () => null })
    expect(await statesOf()).toEqual([
      [1, 'dead', 1],
      [2, 'waiting', 1],
    ])
    expect(await claimIds()).toEqual(['a2'])
  })

  test('a run that is taken over is lost in the same commit, other runs of its transaction go on', async () => {
    const txnId = randomUUID()
    const [taken, nested, other] = [randomUUID(), randomUUID(), randomUUID()]
    await store.queue.enqueue(by('a'), [queuedRun({ txnId }), queuedRun({ txnId, triggerId: 2 })])
    await claim({ leaseMs: 1, maxRuns: 1 })
    const inserts = [
      runRow({ runId: taken, txnId, queuedRunId: 1, state: 'running', outcome: null }),
      runRow({ runId: nested, txnId, parentRunId: taken, state: 'running', outcome: null }),
      runRow({ runId: other, txnId, queuedRunId: 2, state: 'running', outcome: null }),
    ]
    await store.runs.write('a', 'died', { inserts, ends: [] })
    await sleep(5)
    await claim({ retryAfterMs: () => 60_000 })
    const kept = await store.runs.findByRunIds('a', [taken, nested, other])
    expect(Object.fromEntries(kept.map(({ runId, state }) => [runId, state]))).toEqual({
      [taken]: 'lost',
      [nested]: 'lost',
      [other]: 'running',
    })
  })

  test('a renewed lease keeps its run', async () => {
    await enqueue('a', 1)
    // Its first lease ends at once. It is still the holder's until another claims it.
    const { runs } = await claim({ leaseMs: 1 })
    expect(await store.queue.renew('a', runs, 600_000)).toEqual([{ id: 1, holder: runs[0]?.holder }])
    await sleep(5)
    expect(await claimIds()).toEqual([])
    expect(await settle(runs[0] as Run)).toMatchObject([{ id: 1 }])
    expect(await statesOf()).toEqual([])
  })

  test('a run that is given back keeps its attempt and its place', async () => {
    await enqueue('a', 1)
    await enqueue('a', 1)
    await settle(await claimOne(), { kind: 'released' })
    expect(await statesOf()).toEqual([
      [1, 'waiting', 1],
      [2, 'waiting', 1],
    ])
    expect(await claimIds()).toEqual(['a1'])
  })

  test('an ended attempt and its kept run are written together, a late one is lost', async () => {
    await enqueue('a', 1, 2)
    const { runs } = await claim()
    const keptRun = (runId: string): CommittedRuns => ({
      gateway: 'one',
      ends: [],
      inserts: [runRow({ runId, texts: { payload: '1' } })],
    })
    const [held, late] = [randomUUID(), randomUUID()]
    const ends = runs.map(({ id, holder }) => ({
      id,
      holder: id === 1 ? holder : 'another',
      end: { kind: 'done' } as const,
      runs: keptRun(id === 1 ? held : late),
    }))
    expect((await store.queue.finishAttempts('a', ends)).ended).toEqual([{ id: 1, holder: runs[0]?.holder }])
    const kept = await store.runs.findByRunIds('a', [held, late])
    expect(Object.fromEntries(kept.map(({ runId, state }) => [runId, state]))).toEqual({
      [held]: 'ended',
      [late]: 'lost',
    })
    expect(await statesOf()).toEqual([[2, 'running', 1]])
  })

  test('one write ends both attempts of a run: the attempt whose lease ended is lost', async () => {
    await enqueue('a', 1)
    const { runs } = await claim()
    const [run] = runs as [Run]
    const [kept, late] = [randomUUID(), randomUUID()]
    const endOf = (holder: string, runId: string): QueuedEnd => ({
      ...{ id: run.id, holder, end: { kind: 'done' } },
      runs: { gateway: 'one', ends: [], inserts: [runRow({ runId, texts: { payload: '1' } })] },
    })
    const { ended } = await store.queue.finishAttempts('a', [
      endOf('the claim before', late),
      endOf(run.holder, kept),
    ])
    expect(ended).toEqual([{ id: run.id, holder: run.holder }])
    const states = (await store.runs.findByRunIds('a', [kept, late])).map(({ runId, state }) => [
      runId,
      state,
    ])
    expect(Object.fromEntries(states)).toEqual({ [kept]: 'ended', [late]: 'lost' })
  })

  test('the commit of an end claims the next runs, of any account in turn', async () => {
    await enqueue('a', 1, 2)
    await enqueue('a', 1)
    await enqueue('b', 1)
    const { runs } = await claim({ maxRuns: 1 })
    const ends = runs.map(({ id, holder }) => ({ id, holder, end: { kind: 'done' } as const, runs: null }))
    const next = { holder: randomUUID(), leaseMs: 15_000, maxRuns: 2, retryAfterMs: () => 0, always: true }
    const settled = await store.queue.finishAttempts('a', ends, next)
    const claimed = settled.claim?.runs.map(({ accountCode, id, holder }) => [accountCode, id, holder])
    expect(claimed).toEqual([
      ['b', 1, next.holder],
      ['a', 2, next.holder],
    ])
    expect(settled.claim?.nextInMs).toBe(0)
    expect(await statesOf()).toEqual([
      [2, 'running', 1],
      [3, 'waiting', 1],
    ])
  })

  test('an end that lets no other run go on claims only if it is asked to', async () => {
    await enqueue('a', 1, 2)
    await enqueue('a', 2)
    const [first, second] = (await claim({ maxRuns: 2 })).runs as [Run, Run]
    await enqueue('a', 3)
    const next = { holder: randomUUID(), leaseMs: 15_000, maxRuns: 1, retryAfterMs: () => 0, always: false }
    const settleAndClaim = async ({ id, holder }: Run) => {
      const end = { id, holder, end: { kind: 'done' } as const, runs: null }
      return (await store.queue.finishAttempts('a', [end], next)).claim?.runs.map(run => run.id)
    }
    expect(await settleAndClaim(first)).toBeUndefined()
    expect(await settleAndClaim(second)).toHaveLength(1)
  })

  test('several runs are given back at once, those that others hold are not', async () => {
    await enqueue('a', 1, 2, 3)
    const { runs } = await claim()
    const ends = runs.map(({ id, holder }) => ({
      ...{ id, holder: id === 2 ? 'another' : holder, runs: null },
      end: { kind: 'released' } as const,
    }))
    expect(await store.queue.finishAttempts('a', ends)).toEqual({ ended: [], nextInMs: 0, claim: null })
    expect(await statesOf()).toEqual([
      [1, 'waiting', 1],
      [2, 'running', 1],
      [3, 'waiting', 1],
    ])
    expect(await claimIds()).toEqual(['a1', 'a3'])
  })

  test('a dead run that is retried starts at attempt 1, in its lane', async () => {
    await enqueue('a', 1)
    await settle(await claimOne(), { kind: 'dead', error: failed })
    await enqueue('a', 1)
    const running = await claimOne()
    expect(await store.queue.retry(by('a'), 1)).toMatchObject({ state: 'waiting', attempt: 1 })
    await expect(store.queue.retry(by('a'), 9)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(store.queue.retry(by('b'), 1)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await claimIds()).toEqual([])
    await settle(running)
    expect(await claimIds()).toEqual(['a1'])
  })

  test('a waiting or dead run can be cancelled, a running one not', async () => {
    await enqueue('a', 1)
    for (const _ of [1, 2, 3]) await enqueue('a', 1)
    const running = await claimOne()
    await expect(store.queue.cancel(by('a'), 1)).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(store.queue.cancel(by('b'), 2)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await store.queue.cancel(by('a'), 2)).toMatchObject({ id: 2, state: 'waiting' })
    expect(await claimIds()).toEqual([])
    await settle(running, { kind: 'again', afterMs: 60_000, error: failed })
    expect(await store.queue.cancel(by('a'), 1)).toMatchObject({ id: expect.any(Number) })
    expect(await claimIds()).toEqual(['a3'])
    await expect(store.queue.cancel(by('a'), 1)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('an account has at most 10,000 waiting runs', async () => {
    const cases = Array.from({ length: 1_000 }, (_, index) => index + 1)
    for (let count = 0; count < maxWaiting; count += cases.length) await enqueue('a', ...cases)
    await expect(enqueue('a', 1)).rejects.toMatchObject({ code: 'OVERLOADED', retryAfterSeconds: 5 })
    await claim({ maxRuns: 4 })
    await enqueue('b', 1)
    await expect(enqueue('a', 1, 2, 3, 4, 5)).rejects.toMatchObject({ code: 'OVERLOADED' })
    await enqueue('a', 1, 2, 3, 4)
    await expect(enqueue('a', 1)).rejects.toMatchObject({ code: 'OVERLOADED' })
  })

  test('gateways that claim at once give each run to one of them', async () => {
    const stores = harness.engine === 'SQLite' ? [store, store] : [store, await harness.open({ url })]
    for (const account of ['a', 'b', 'c'])
      await enqueue(account, ...Array.from({ length: 30 }, (_, index) => index))
    const taken: string[] = []
    const work = async (from: Store) => {
      for (let empty = 0; empty < 3; ) {
        const { runs } = await claim({ maxRuns: 3 }, from)
        empty = runs.length === 0 ? empty + 1 : 0
        taken.push(...runs.map(({ accountCode, id }) => `${accountCode}${id}`))
        for (const { accountCode, id, holder } of runs) {
          await from.queue.finishAttempts(accountCode, [{ id, holder, end: { kind: 'done' }, runs: null }])
        }
      }
    }
    await Promise.all(stores.flatMap(from => [work(from), work(from)]))
    expect(taken).toHaveLength(90)
    expect(new Set(taken).size).toBe(90)
  })

  test('saves, ends and cancellations at once leave no queued run', async () => {
    const stores = harness.engine === 'SQLite' ? [store, store] : [store, await harness.open({ url })]
    const done: number[] = []
    let isOver = false
    const work = async (from: Store) => {
      for (;;) {
        const wasOver = isOver
        const { runs } = await claim({ maxRuns: 3 }, from)
        if (runs.length === 0 && wasOver) return
        for (const { accountCode, id, holder } of runs) {
          done.push(id)
          await from.queue.finishAttempts(accountCode, [{ id, holder, end: { kind: 'done' }, runs: null }])
        }
      }
    }
    const add = async (from: Store, seed: number) => {
      for (let count = 0; count < 60; count += 1) {
        const [id = 0] = await from.queue.enqueue(by('a'), [queuedRun({ caseId: (count + seed) % 3 })])
        if (count % 10 === 5) {
          await from.queue.cancel(by('a'), id).then(
            () => done.push(id),
            error => expect(error.code).toMatch(/^(NOT_FOUND|CONFLICT)$/),
          )
        }
      }
    }
    const workers = stores.map(work)
    await Promise.all(stores.map(add))
    isOver = true
    await Promise.all(workers)
    expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1))
    expect(await statesOf()).toEqual([])
  })

  test('a listener is called after a commit that queued runs', async () => {
    let calls = 0
    const stop = store.queue.onQueued(() => {
      calls += 1
    })
    await expect.poll(() => harness.engine === 'SQLite' || calls > 0).toBe(true)
    const before = calls
    await enqueue('a', 1)
    await expect.poll(() => calls).toBeGreaterThan(before)
    stop()
  })

  test('dead runs past their time or the maximum of their account are deleted, the oldest first', async () => {
    const dayMs = 86_400_000
    const die = async (...accounts: string[]) => {
      for (const accountCode of accounts) await enqueue(accountCode, 1)
      for (const _ of accounts) await settle(await claimOne(), { kind: 'dead', error: failed })
    }
    const deleteBeyond = (maxRuns: number, limit = 1) =>
      store.queue.deleteDeadBeyond(maxRuns, limit, new AbortController().signal)
    const deleteExpired = (ageMs: number, limit = 1) =>
      store.queue.deleteExpiredDead(ageMs, limit, new AbortController().signal)
    const idsOf = async (accountCode = 'a') => (await statesOf(accountCode)).map(([id]) => id)

    await die('a', 'a', 'a', 'a', 'b')
    await enqueue('a', 1)
    await deleteBeyond(4)
    expect(await idsOf()).toEqual([1, 2, 3, 4, 5])
    await deleteBeyond(3, 10)
    expect(await idsOf()).toEqual([2, 3, 4, 5])
    await deleteBeyond(2)
    expect(await idsOf()).toEqual([3, 4, 5])
    await deleteExpired(dayMs)
    expect(await idsOf()).toEqual([3, 4, 5])
    await deleteBeyond(1)
    expect(await idsOf()).toEqual([4, 5])

    const day = harness.engine === 'SQLite' ? 'due_at - 86400000' : `due_at - interval '24 hours'`
    await writeRows(url, `update queued_runs set due_at = ${day} where account_code = 'a'`)
    expect(await store.queue.retry(by('a'), 4)).toMatchObject({ state: 'waiting' })
    await deleteExpired(dayMs)
    expect((await statesOf()).map(([, state]) => state)).toEqual(['waiting', 'waiting'])
    await store.queue.cancel(by('a'), 5)
    await settle(await claimOne(), { kind: 'dead', error: failed })
    await writeRows(url, `update queued_runs set due_at = ${day} where account_code = 'a'`)
    await sweep(store, { ...keepsAll, days: 2 })
    expect(await idsOf()).toEqual([4])
    await sweep(store, { ...keepsAll, days: 1 })
    expect([await idsOf(), await idsOf('b')]).toEqual([[], [1]])
  })

  test('a deletion of dead runs looks for accounts once, and locks none that has none to delete', async () => {
    await enqueue('a', 1, 2, 3, 4)
    await enqueue('b', 1)
    await writeRows(url, `update queued_runs set state = 'dead', claim_at = null, lane = null`)
    let looks = 0
    let locks = 0
    const onStatement = (text: string) => {
      if (text.includes('from queue_accounts where exists')) looks += 1
      if (text.includes('select waiting, waiting_bytes from queue_accounts')) locks += 1
    }
    const { queue } = await harness.open({ url, onStatement })
    const { signal } = new AbortController()
    await queue.deleteDeadBeyond(1, 2, signal)
    expect([looks, locks]).toEqual([1, 2])
    await queue.deleteDeadBeyond(1, 2, signal)
    await queue.deleteExpiredDead(60_000, 10, signal)
    expect([looks, locks]).toEqual([3, 2])
  })

  test('a look for dead runs past their time leaves time for other work between the accounts', async () => {
    await enqueue('a', 1)
    await enqueue('b', 1)
    await writeRows(url, `update queued_runs set state = 'dead', claim_at = null, lane = null`)
    let turns = 0
    const turnsAtLook: number[] = []
    const onStatement = (text: string) => {
      if (text.includes('due_at <')) turnsAtLook.push(turns)
    }
    const { queue } = await harness.open({ url, onStatement })
    const onTurn = () => {
      turns += 1
      next = setImmediate(onTurn)
    }
    let next = setImmediate(onTurn)
    await queue.deleteExpiredDead(60_000, 10, new AbortController().signal)
    clearImmediate(next)
    expect(new Set(turnsAtLook).size).toBe(2)
  })

  test('an account keeps its newest 1,000 dead runs', async () => {
    await enqueue('a', ...Array.from({ length: 1_003 }, (_, index) => index + 1))
    await enqueue('b', 1)
    await writeRows(url, `update queued_runs set state = 'dead', claim_at = null, lane = null`)
    await sweep(store, { ...keepsAll, days: 1 })
    const ids: number[] = []
    for (let after = 0; ; after = ids.at(-1) ?? 0) {
      const page = await store.queue.list('a', 'dead', after, 500)
      if (page.length === 0) break
      ids.push(...page.map(({ id }) => id))
    }
    expect([ids.length, ids[0]]).toEqual([1_000, 4])
    expect(await store.queue.list('b', 'dead', 0, 10)).toHaveLength(1)
  })
})
