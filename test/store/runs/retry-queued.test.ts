import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { maxWaiting } from '../../../src/domain/queue/waiting-limits.ts'
import type { QueuedTriggerRef } from '../../../src/domain/scripts/trigger-kinds.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { readRows } from '../databases/read-rows.ts'
import { writeRows } from '../databases/write-rows.ts'
import { queuedRun } from './queued-run.ts'

const error = { code: 'RUNTIME', message: 'it broke', line: 1, column: null, stack: null } as const

eachStore(harness => {
  let store: Store
  let url: string
  let statements: string[]
  beforeEach(async () => {
    statements = []
    url = await harness.freshUrl()
    store = await harness.open({ url, onStatement: text => /queue/.test(text) && statements.push(text) })
  })

  const enqueue = (accountCode: string, ...runs: Parameters<typeof queuedRun>[0][]) =>
    store.queue.enqueue(by(accountCode), runs.map(queuedRun))
  const claim = async (maxRuns = 100) => {
    const request = { holder: randomUUID(), leaseMs: 15_000, maxRuns, retryAfterMs: () => 0 }
    return (await store.queue.claim(request)).runs
  }
  type Run = Awaited<ReturnType<typeof claim>>[number]
  const ends = {
    done: { kind: 'done' },
    dead: { kind: 'dead', error },
    again: { kind: 'again', error, afterMs: 60_000 },
  } as const
  const end = ({ accountCode, id, holder }: Run, kind: keyof typeof ends) =>
    store.queue.finishAttempts(accountCode, [{ id, holder, end: ends[kind], runs: null }])
  const dieAll = async () => {
    for (let runs = await claim(); runs.length > 0; runs = await claim())
      for (const run of runs) await end(run, 'dead')
  }
  const makeDead = (which = '') =>
    writeRows(url, `update queued_runs set state = 'dead', lane = null, claim_at = null ${which}`)
  const statesOf = async (accountCode = 'a') =>
    (await store.queue.list(accountCode, null, 0, 1_000)).map(({ id, state }) => `${id} ${state}`)
  const retryDead = (limit = 1_000, of: QueuedTriggerRef | null = null, accountCode = 'a') =>
    store.queue.retryDead(by(accountCode), { of, limit })

  test('the oldest dead runs are retried in the order of their lanes, each account for itself', async () => {
    for (const caseId of [1, 1, 2, 1]) await enqueue('a', { caseId })
    await enqueue('b', {})
    await dieAll()
    await enqueue('a', { caseId: 2 })
    expect(await retryDead(3)).toBe(3)
    expect(await statesOf()).toEqual(['1 waiting', '2 waiting', '3 waiting', '4 dead', '5 waiting'])
    expect(await statesOf('b')).toEqual(['1 dead'])
    // Run 2 follows 1, and 3 follows 5, which waited before it was retried.
    const [first, fifth, ...others] = await claim()
    expect([first?.id, fifth?.id, others]).toEqual([1, 5, []])
    expect(first?.attempt).toBe(1)
    expect(await retryDead()).toBe(1)
    expect(await claim()).toEqual([])
    for (const run of [first, fifth]) if (run !== undefined) await end(run, 'done')
    expect((await claim()).map(({ id }) => id)).toEqual([2, 3])
    expect(await retryDead()).toBe(0)
  })

  test('a retry of dead runs takes those of one hook or webhook alone', async () => {
    const ofWebhook = { trigger: 'webhook', caseId: null } as const
    const hook = (triggerId: number) => ({ trigger: 'hook', triggerId }) as const
    const webhook = (triggerId: number) => ({ trigger: 'webhook', triggerId }) as const
    await enqueue(
      'a',
      { triggerId: 1 },
      { triggerId: 2 },
      { ...ofWebhook, triggerId: 1 },
      { ...ofWebhook, triggerId: 2 },
    )
    await dieAll()
    expect(await retryDead(1_000, hook(2))).toBe(1)
    expect(await retryDead(1_000, webhook(1))).toBe(1)
    expect(await retryDead(1_000, webhook(9))).toBe(0)
    expect(await statesOf()).toEqual(['1 dead', '2 waiting', '3 waiting', '4 dead'])
    expect(await retryDead(1_000, hook(1), 'b')).toBe(0)
  })

  test('a retry of dead runs stops at 10,000 waiting ones, however many it was asked for', async () => {
    await enqueue('a', ...[1, 2, 3, 4, 5].map(caseId => ({ caseId })))
    await makeDead()
    await writeRows(url, `update queue_accounts set waiting = ${maxWaiting - 3}`)
    expect(await retryDead()).toBe(3)
    expect(await retryDead()).toBe(0)
    await expect(store.queue.retry(by('a'), 4)).rejects.toMatchObject({ code: 'OVERLOADED' })
    expect((await store.queue.list('a', 'dead', 0, 10)).map(({ id }) => id)).toEqual([4, 5])
    await expect(enqueue('a', {})).rejects.toMatchObject({ code: 'OVERLOADED' })
  })

  test('a retry of dead runs stops at the bytes that may wait; runs with one input need it once', async () => {
    const bytes = 1_000
    store = await harness.open({ url, limits: { queueBytes: 2 * bytes } })
    const input = JSON.stringify('x'.repeat(bytes - 4))
    for (let count = 1; count <= 3; count++) {
      await enqueue('a', { input, options: '{}', triggerId: 1 }, { input, options: '{}', triggerId: 2 })
      await dieAll()
    }
    expect(await retryDead()).toBe(4)
    expect(await statesOf()).toEqual(['1 waiting', '2 waiting', '3 waiting', '4 waiting', '5 dead', '6 dead'])
    await expect(store.queue.retry(by('a'), 5)).rejects.toMatchObject({
      code: 'OVERLOADED',
      message: expect.stringContaining(`take ${2 * bytes} bytes. With ${bytes} more`),
    })
    await store.queue.cancel(by('a'), 1)
    await store.queue.cancel(by('a'), 2)
    expect(await retryDead()).toBe(2)
    for (let id = 3; id <= 6; id++) await store.queue.cancel(by('a'), id)
    expect(
      await readRows(url, 'select 1 from queue_accounts where waiting = 0 and waiting_bytes = 0'),
    ).toHaveLength(1)
  })

  test('1,000 dead runs are retried in as many statements as one, once for each step', async () => {
    await enqueue('a', ...Array.from({ length: 1_000 }, (_, index) => ({ caseId: index % 10 })))
    await makeDead()
    await writeRows(url, 'update queue_accounts set waiting = 0')
    const origin = { ...by('a'), step: { key: 'k', number: 1 } }
    const retry = (limit: number) => store.queue.retryDead(origin, { of: null, limit })
    statements.length = 0
    expect(await retryDead(1)).toBe(1)
    const ofOne = statements.length
    statements.length = 0
    expect(await retryDead(998)).toBe(998)
    expect(statements).toHaveLength(ofOne)
    expect(await retry(1)).toBe(1)
    await makeDead('where id = 1000')
    expect(await retry(1)).toBe(1)
    expect(await store.queue.count('a', 'dead')).toBe(1)
    expect(await claim(20)).toHaveLength(10)
  })

  test('a waiting run that is retried is due now, and keeps its attempt and its turn', async () => {
    await enqueue('a', { caseId: 1 })
    await enqueue('a', { caseId: 1 })
    for (const run of await claim()) await end(run, 'again')
    expect(await claim()).toEqual([])
    const retried = await store.queue.retry(by('a'), 2)
    expect(retried).toMatchObject({ state: 'waiting', attempt: 1 })
    expect(await claim()).toEqual([])
    await expect(store.queue.retry(by('b'), 1)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await store.queue.retry(by('a'), 1)).toMatchObject({ attempt: 2 })
    expect(await store.queue.nextInMs()).toBe(0)
    const [run] = await claim()
    expect(run).toMatchObject({ id: 1, attempt: 2 })
    await expect(store.queue.retry(by('a'), 1)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await store.queue.count('a', 'waiting')).toBe(1)
    if (run !== undefined) await end(run, 'done')
    expect((await claim()).map(({ id }) => id)).toEqual([2])
  })

  test('a run that is retried again and again does not lose its place', async () => {
    await enqueue('a', { caseId: 1 })
    await enqueue('a', { caseId: 2 })
    for (let count = 0; count < 3; count++) await store.queue.retry(by('a'), 1)
    expect((await claim(1)).map(({ id }) => id)).toEqual([1])
  })

  test('runs are counted by state, each account for itself', async () => {
    await enqueue('a', ...[1, 1, 1, 2, 3].map(caseId => ({ caseId })))
    await enqueue('b', {})
    const [first, second] = await claim(2)
    expect([first?.accountCode, second?.accountCode].toSorted()).toEqual(['a', 'b'])
    for (const run of [first, second]) if (run !== undefined) await end(run, 'dead')
    await claim(1)
    const counts = ['waiting', 'running', 'dead', null] as const
    expect(await Promise.all(counts.map(state => store.queue.count('a', state)))).toEqual([3, 1, 1, 5])
    expect(await store.queue.count('c', null)).toBe(0)
  })
})
