import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createEndedRuns } from '../../../src/domain/runs/ended-runs.ts'
import type { RunRow } from '../../../src/domain/runs/run-store.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { keptRun } from './kept-run.ts'

const maxEnded = 200
const maxRunning = 1_000

eachStore(harness => {
  let store: Store
  beforeEach(async () => {
    store = await harness.open({ url: await harness.freshUrl() })
  })

  const insert = (inserts: readonly RunRow[]) => store.runs.write('a', 'one', { inserts, ends: [] })
  const many = (count: number) => Array.from({ length: count }, () => keptRun({ runId: randomUUID() }))

  test('a run that was running comes once it has ended, and one that ended before never', async () => {
    const running = keptRun({ runId: randomUUID(), state: 'running', outcome: null })
    await insert([keptRun({ runId: randomUUID() }), running])
    const ended = createEndedRuns(store.runs)
    const start = await ended.newest('a')
    const runId = randomUUID()
    await insert([keptRun({ runId })])
    await store.runs.write('a', 'one', {
      inserts: [],
      ends: [{ ...running, state: 'ended', outcome: 'exit' }],
    })
    await expect.poll(async () => (await ended.listAfter('a', start, 9)).length).toBe(2)
    const found = await ended.listAfter('a', start, 9)
    expect(new Set(found.map(({ run }) => run?.runId))).toEqual(new Set([running.runId, runId]))
    expect(await ended.listAfter('a', found.at(-1)?.sequence ?? 0, 9)).toEqual([])
  })

  test.each([0, 1])('a run that begins beside the first look, before read %d, comes once', async read => {
    await insert([keptRun({ runId: randomUUID() })])
    const running = keptRun({ runId: randomUUID(), state: 'running', outcome: null })
    const insertOnce = async (at: number) => {
      if (at === read) await insert([running])
    }
    let reads = 0
    // Both reads of the first look are ended one after the other, and the run is inserted before one of them.
    let turn = Promise.resolve()
    const ended = createEndedRuns({
      ...store.runs,
      look(...request) {
        const at = reads++
        const found = turn.then(() => insertOnce(at)).then(() => store.runs.look(...request))
        turn = found.then(() => {})
        return found
      },
    })
    const start = await ended.newest('a')
    await store.runs.write('a', 'one', {
      inserts: [],
      ends: [{ ...running, state: 'ended', outcome: 'exit' }],
    })
    await expect.poll(async () => (await ended.listAfter('a', start, 9)).length).toBe(1)
    const [first] = await ended.listAfter('a', start, 9)
    expect(first?.run?.runId).toBe(running.runId)
  })

  test('a follower that reads again after its account was forgotten gets a gap', async () => {
    await store.accounts.ensure('b')
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const ended = createEndedRuns(store.runs)
    const start = await ended.newest('a')
    vi.advanceTimersByTime(31_000)
    // Other accounts are followed meanwhile, and none of their runs ends.
    await ended.newest('b')
    await insert([keptRun({ runId: randomUUID() })])
    const found = await ended.listAfter('a', start, 9)
    expect(found).toEqual([{ sequence: expect.any(Number), run: null }])
    expect(await ended.listAfter('a', found[0]?.sequence ?? 0, 9)).toEqual([])
  })

  test('a flood of runs leaves a bounded number in memory, and a gap that says so', async () => {
    const ended = createEndedRuns(store.runs)
    const start = await ended.newest('a')
    await insert(many(maxEnded + 50))
    await expect.poll(async () => (await ended.listAfter('a', start, 1_000)).length).toBe(maxEnded + 1)
    const [gap, ...runs] = await ended.listAfter('a', start, 1_000)
    expect(gap?.run).toBeNull()
    expect(runs.every(({ run }) => run !== null)).toBe(true)
    const sequences = [gap, ...runs].map(event => event?.sequence ?? 0)
    expect(sequences).toEqual(sequences.toSorted((one, other) => one - other))
  })

  test('of more runs than are awaited, an end is found later, or a gap says that it is missed', async () => {
    const running = Array.from({ length: maxRunning + 2 }, () =>
      keptRun({ runId: randomUUID(), state: 'running', outcome: null }),
    )
    await insert(running)
    const ended = createEndedRuns(store.runs)
    const start = await ended.newest('a')
    const end = (run: RunRow | undefined) =>
      store.runs.write('a', 'one', {
        inserts: [],
        ends: run === undefined ? [] : [{ ...run, state: 'ended', outcome: 'exit' }],
      })
    const readIds = async () => (await ended.listAfter('a', start, 9)).map(({ run }) => run?.runId ?? 'gap')
    const [missed, oldest] = running
    const newest = running.at(-1)
    await end(missed)
    await end(newest)
    await expect.poll(readIds).toEqual([newest?.runId, 'gap'])
    await end(oldest)
    await expect.poll(readIds).toEqual([newest?.runId, 'gap', oldest?.runId])
  })

  test('a gap has the number of no run, because streams share a result by its number', async () => {
    const ended = createEndedRuns(store.runs)
    const start = await ended.newest('a')
    await insert(many(9))
    await expect.poll(async () => (await ended.listAfter('a', start, 1_000)).length).toBe(9)
    const early = await ended.listAfter('a', start, 1_000)
    await insert(many(maxEnded))
    await expect.poll(async () => (await ended.listAfter('a', start, 1_000))[0]?.run).toBeNull()
    const [gap, next] = await ended.listAfter('a', start, 1_000)
    expect(early.map(({ sequence }) => sequence)).not.toContain(gap?.sequence)
    expect((await ended.listAfter('a', gap?.sequence ?? 0, 1))[0]).toEqual(next)
  })
  test.each([
    ['a copy that lags', 2, ['gap']],
    ['an empty copy', 0, []],
  ])(
    '%s takes the place of the store: runs come, after a gap if some may be missed',
    async (_, kept, gaps) => {
      await insert(many(5))
      await store.accounts.ensure('b')
      const insertInCopy = (inserts: readonly RunRow[]) => store.runs.write('b', 'one', { inserts, ends: [] })
      if (kept > 0) await insertInCopy(many(kept))
      let account = 'a'
      const ended = createEndedRuns({
        look: (_account, ...request) => store.runs.look(account, ...request),
        findByRunIds: (_account, runIds) => store.runs.findByRunIds(account, runIds),
      })
      const start = await ended.newest('a')
      const readIds = async () => (await ended.listAfter('a', start, 9)).map(({ run }) => run?.runId ?? 'gap')
      account = 'b'
      await sleep(500)
      expect(await readIds()).toEqual(gaps)
      const runId = randomUUID()
      await insertInCopy([keptRun({ runId })])
      await expect.poll(readIds).toEqual([...gaps, runId])
    },
  )
})
