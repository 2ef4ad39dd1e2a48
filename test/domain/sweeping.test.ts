import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createSweeps } from '../../src/domain/expired-rows.ts'
import type { KeyClaimRequest } from '../../src/domain/idempotency/idempotency.ts'
import { allRuns } from '../../src/domain/runs/run-store.ts'
import type { Store } from '../../src/domain/store.ts'
import { type Sweep, startSweeping } from '../../src/domain/sweeping.ts'
import { openStore } from '../../src/store/open-store.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'
import { by } from '../store/databases/origin.ts'
import { writeRows } from '../store/databases/write-rows.ts'
import { queuedRun } from '../store/runs/queued-run.ts'
import { runRow } from '../store/runs/run-row.ts'
import { keepsAll, sweep } from '../store/runs/sweep.ts'

const day = 24 * 60 * 60 * 1000

const folder = makeTempFolder()
const path = join(folder.path, 'keys.db')
let store: Store
beforeAll(async () => {
  store = await openStore({ url: `sqlite:${path}` })
})
afterAll(async () => {
  await store.close()
  folder.remove()
})

function age(ms: number): void {
  const client = new SqliteDatabase(path)
  client.prepare('update idempotency_keys set created_at = created_at - ?').run(ms)
  client.close()
}

function countKeys(): number {
  const client = new SqliteDatabase(path)
  const count = client.prepare('select count(*) from idempotency_keys').pluck().get()
  client.close()
  return Number(count)
}

const claim = (key: string, fingerprint: number) => {
  const request: KeyClaimRequest = {
    accountCode: 'a',
    key,
    holder: 'one',
    fingerprint: Buffer.alloc(32, fingerprint),
    leaseMs: 1_000,
    retentionMs: 2 * day,
    maxBytes: 2 ** 30,
    isRepeatable: true,
  }
  return store.idempotency.claim(request)
}

test('keys are kept for 24 hours, and then all are deleted', async () => {
  const keys = Array.from({ length: 450 }, (_, index) => `key-${index}`)
  await Promise.all(keys.map(key => claim(key, 1)))
  age(day - 60_000)
  await sweep(store, keepsAll)
  expect(await claim('key-0', 2)).toEqual({ kind: 'other' })
  age(60_001)
  await sweep(store, keepsAll)
  const results = await Promise.all(keys.map(key => claim(key, 2)))
  expect(results.filter(({ kind }) => kind === 'claimed')).toHaveLength(450)
})

const minuteMs = 60_000

/** Starts a gateway's sweeping on a clock that a test moves. Its sweeps note their names when they begin. */
function startOnFakeClock(isSweeper: () => boolean) {
  vi.useFakeTimers()
  const begun: string[] = []
  const errors: unknown[] = []
  const { promise: end, resolve: endLong } = Promise.withResolvers<void>()
  const note = (name: string, everyMinutes: number, work = async () => {}): Sweep => ({
    everyMs: everyMinutes * minuteMs,
    async delete() {
      begun.push(name)
      await work()
      return true
    },
  })
  const broken = new Error('the disk is full')
  // One that fails is due again at the next look.
  const failing = note('failing', 3, () => {
    throw broken
  })
  const beats = { beat: async () => isSweeper(), markLost: async () => {}, isShared: true }
  const stop = startSweeping([failing, note('seldom', 3), note('long', 1, () => end)], {
    store: beats,
    gateway: 'one',
    onError: error => errors.push(error),
  })
  onTestFinished(() => {
    endLong()
    void stop()
    vi.useRealTimers()
  })
  async function begunIn(minutes: number): Promise<string[]> {
    await vi.advanceTimersByTimeAsync(minutes * minuteMs)
    return begun.splice(0)
  }
  return { begunIn, endLong, errors, broken, stop }
}

test('sweeps go one after the other, each when it is due, also after one that failed or was long', async () => {
  const { begunIn, endLong, errors, broken, stop } = startOnFakeClock(() => true)
  expect(await begunIn(1)).toEqual(['failing', 'seldom', 'long'])
  expect(errors).toEqual([broken])
  expect(await begunIn(1)).toEqual([])
  endLong()
  expect(await begunIn(1)).toEqual(['failing', 'long'])
  expect(await begunIn(1)).toEqual(['failing', 'seldom', 'long'])
  expect(await begunIn(3)).toHaveLength(7)
  await stop()
  expect(await begunIn(3)).toEqual([])
})

test('a gateway sweeps only while it is the one of its store that does', async () => {
  let isSweeper = false
  const { begunIn, endLong } = startOnFakeClock(() => isSweeper)
  endLong()
  expect(await begunIn(2)).toEqual([])
  isSweeper = true
  expect(await begunIn(1)).toEqual(['failing', 'seldom', 'long'])
  isSweeper = false
  expect(await begunIn(3)).toEqual([])
})

test('sweeps that never find an end take turns with those that are due, until another gateway sweeps', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let isSweeper = true
  const begun: string[] = []
  const errors: unknown[] = []
  // Takes ten seconds of the clock.
  const note = (name: string, isDone: boolean): Sweep => ({
    everyMs: minuteMs,
    async delete() {
      begun.push(name)
      await new Promise(resolve => setTimeout(resolve, 10_000))
      if (name === 'failing') throw new Error('the disk is full')
      return isDone
    },
  })
  const sweeps = [note('failing', false), note('endless', false), note('other', true)]
  const store = { beat: async () => isSweeper, markLost: async () => {}, isShared: true }
  const onError = (error: unknown) => errors.push(error)
  const stop = startSweeping(sweeps, { store, gateway: 'one', onError })
  await vi.advanceTimersByTimeAsync(minuteMs + 55_000)
  expect(begun).toEqual(['failing', 'endless', 'other', 'failing', 'endless', 'other'])
  expect(errors).toHaveLength(2)
  isSweeper = false
  await vi.advanceTimersByTimeAsync(2 * minuteMs)
  expect(begun).toHaveLength(6)
  void stop()
})

test('the sweep of runs has an end when runs come as fast as they are deleted', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let steps = 0
  // One more run has come with each second.
  const busy = async () => {
    steps += 1
    vi.advanceTimersByTime(1_000)
    return steps < 100 ? 1 : 0
  }
  const runs = { ...store.runs, deleteExpired: busy }
  const [, deleteRuns] = createSweeps({ ...store, runs }, { runs: keepsAll, eventMs: null })
  const { signal } = new AbortController()
  expect(await deleteRuns?.delete(signal)).toBe(false)
  expect(steps).toBe(5)
  steps = 99
  expect(await deleteRuns?.delete(signal)).toBe(true)
})

test('many old events, or dead runs, are deleted in turns, so that no other sweep waits for all of them', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const url = `sqlite:${join(folder.path, 'turns.db')}`
  // Each transaction takes three seconds of the clock.
  const onStatement = (text: string) => {
    if (/delete from "?(membership_events|queued_runs)/.test(text)) vi.advanceTimersByTime(3_000)
  }
  const slow = await openStore({ url, onStatement })
  onTestFinished(() => slow.close())
  for (let teamId = 1; teamId <= 61; teamId++) await slow.memberships.add(by('a'), { userId: 1, teamId })
  await slow.queue.enqueue(
    by('a'),
    Array.from({ length: 1_012 }, (_, index) => queuedRun({ caseId: index + 1 })),
  )
  await writeRows(url, `update queued_runs set state = 'dead', claim_at = null, lane = null`)
  await writeRows(url, 'update membership_events set created_at = 0')
  const sweeps = createSweeps(slow, { runs: keepsAll, eventMs: day })
  const { signal } = new AbortController()
  const [dead, events] = [sweeps[4], sweeps.at(-1)]
  expect([await dead?.delete(signal), await slow.queue.count('a', 'dead')]).toEqual([false, 1_002])
  expect(await dead?.delete(signal)).toBe(true)
  expect(await events?.delete(signal)).toBe(false)
  expect(await slow.events.listAfter('a', 0, 1)).toMatchObject([{ sequence: 41 }])
  expect([await events?.delete(signal), await events?.delete(signal)]).toEqual([false, true])
  expect(await slow.events.listAfter('a', 0, 2)).toMatchObject([{ sequence: 61 }])
})

test('a sweep that runs when the gateway stops ends after its transaction, and no other begins', async () => {
  const keys = Array.from({ length: 250 }, (_, index) => `stopped-${index}`)
  await Promise.all(keys.map(key => claim(key, 1)))
  age(2 * day)
  const before = countKeys()
  const [deleteKeys, deleteRuns] = createSweeps(store, { runs: keepsAll, eventMs: null })
  if (deleteKeys === undefined || deleteRuns === undefined) expect.unreachable()
  const errors: unknown[] = []
  const begun: Sweep[] = []
  let stop = async () => {}
  let ended: Promise<void> | null = null
  const note = (sweep: Sweep): Sweep => ({
    everyMs: sweep.everyMs,
    delete(signal) {
      begun.push(sweep)
      const deleted = sweep.delete(signal)
      ended ??= Promise.resolve().then(() => stop())
      return deleted
    },
  })
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const onError = (error: unknown) => errors.push(error)
  stop = startSweeping([note(deleteKeys), note(deleteRuns)], { store: store.runs, gateway: 'one', onError })
  vi.advanceTimersByTime(minuteMs)
  await ended
  expect([begun, errors]).toEqual([[deleteKeys], []])
  expect(countKeys()).toBe(before - 200)
})

test('runs are deleted a hundred at a time, so that other requests are answered in between', async () => {
  await store.accounts.ensure('a')
  const inserts = Array.from({ length: 150 }, () => runRow({ startedAt: Date.now() }))
  await store.runs.write('a', 'one', { inserts, ends: [] })
  const [, deleteRuns] = createSweeps(store, { runs: { ...keepsAll, count: 0 }, eventMs: null })
  const stopped = new AbortController()
  const deleted = deleteRuns?.delete(stopped.signal)
  stopped.abort()
  await deleted
  expect((await store.runs.look('a', allRuns, null, 1_000)).runs).toHaveLength(50)
})

test('the one gateway of a store looks for lost runs until it has found them, and then no more', async () => {
  vi.useFakeTimers()
  const errors: unknown[] = []
  const looks: string[] = []
  const beats = {
    beat: async () => true,
    async markLost() {
      looks.push('look')
      if (looks.length < 3) throw new Error('the disk is full')
    },
    isShared: false,
  }
  const stop = startSweeping([], { store: beats, gateway: 'one', onError: error => errors.push(error) })
  onTestFinished(() => {
    void stop()
    vi.useRealTimers()
  })
  await vi.advanceTimersByTimeAsync(minuteMs)
  expect([looks.length, errors.length]).toEqual([3, 2])
})
