import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { QueuedEnd } from '../../../src/domain/queue/queue-store.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { readRows } from '../databases/read-rows.ts'
import { queuedRun } from './queued-run.ts'

const error = { code: 'RUNTIME', message: 'it broke', line: 1, column: null, stack: null } as const
const [input, options] = [`{"a":"${'é'.repeat(500)}"}`, '{}']
const bytes = Buffer.byteLength(input) + Buffer.byteLength(options)

eachStore(harness => {
  let url: string
  let store: Store
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url, limits: { queueBytes: 3 * bytes } })
  })

  /** Queues a run of each hook with one input, as a commit does. */
  const enqueue = (hooks: number, rest: object = {}) =>
    store.queue.enqueue(
      by('a'),
      Array.from({ length: hooks }, (_, index) =>
        queuedRun({ triggerId: index + 1, caseId: null, input, options, ...rest }),
      ),
    )
  const claim = async (maxRuns = 100, from = store) =>
    (await from.queue.claim({ holder: randomUUID(), leaseMs: 15_000, maxRuns, retryAfterMs: () => 0 })).runs
  type Run = Awaited<ReturnType<typeof claim>>[number]
  const settle = (runs: readonly Run[], end: QueuedEnd['end'] = { kind: 'done' }, from = store) =>
    from.queue.finishAttempts(
      'a',
      runs.map(({ id, holder }) => ({ id, holder, end, runs: null })),
    )
  const die = async (runs: readonly Run[]) => settle(runs, { kind: 'dead', error })

  /** What is stored, and what the account counts. */
  async function look() {
    const inputs = await readRows<{ id: number; waiting_bytes: number }>(
      url,
      'select id, waiting_bytes from queued_inputs order by id',
    )
    const [account] = await readRows<{ waiting_bytes: number }>(
      url,
      'select waiting_bytes from queue_accounts',
    )
    return {
      inputs: inputs.map(({ id }) => Number(id)),
      counted: Number(account?.waiting_bytes),
      sum: inputs.reduce((sum, row) => sum + Number(row.waiting_bytes), 0),
    }
  }

  test('runs that are queued together share one input, and each gets it', async () => {
    await enqueue(10)
    await enqueue(1, { input: '{}' })
    expect(await look()).toEqual({ inputs: [1, 11], counted: bytes + 4, sum: bytes + 4 })
    const runs = await claim()
    expect(runs.map(run => [run.id, run.input, run.options])).toEqual([
      ...Array.from({ length: 10 }, (_, index) => [index + 1, input, options]),
      [11, '{}', options],
    ])
  })

  test('an input goes with its last run, whether that is done, cancelled or forgotten', async () => {
    await enqueue(4)
    const [first, second] = await claim(2)
    await settle([first, second] as Run[])
    expect(await look()).toEqual({ inputs: [1], counted: bytes, sum: bytes })
    await die(await claim(1))
    await store.queue.cancel(by('a'), 4)
    expect(await look()).toEqual({ inputs: [1], counted: 0, sum: 0 })
    await store.queue.deleteDeadBeyond(0, 10, new AbortController().signal)
    expect(await look()).toEqual({ inputs: [], counted: 0, sum: 0 })
  })

  test('the inputs of waiting runs have a maximum of bytes, which dead runs do not count to', async () => {
    for (const _ of [1, 2, 3]) await enqueue(10)
    const refused = {
      code: 'OVERLOADED',
      retryAfterSeconds: 5,
      message: expect.stringContaining(`${3 * bytes}`),
    }
    await expect(enqueue(1)).rejects.toMatchObject(refused)
    expect((await look()).inputs).toHaveLength(3)
    await die(await claim(10))
    await enqueue(10)
    await expect(enqueue(1)).rejects.toMatchObject(refused)
    const [dead] = await store.queue.list('a', 'dead', 0, 1)
    await expect(store.queue.retry(by('a'), dead?.id ?? 0)).rejects.toMatchObject({ code: 'OVERLOADED' })
    await settle(await claim(10))
    expect(await store.queue.retry(by('a'), dead?.id ?? 0)).toMatchObject({ state: 'waiting' })
    expect(await look()).toMatchObject({ counted: 3 * bytes, sum: 3 * bytes })
    await expect(enqueue(1)).rejects.toMatchObject(refused)
    await enqueue(1, { input: '', options: '' })
  })

  test('a first input above the maximum is refused, too', async () => {
    await expect(enqueue(1, { input: input.repeat(4) })).rejects.toMatchObject({ code: 'OVERLOADED' })
    expect(await store.queue.list('a', null, 0, 10)).toEqual([])
  })

  test('gateways that end the runs of one input at once leave neither input nor bytes', async () => {
    const other = harness.engine === 'SQLite' ? store : await harness.open({ url })
    for (let round = 0; round < 5; round++) {
      await enqueue(8)
      const runs = await claim()
      await Promise.all(runs.map((run, index) => settle([run], undefined, index % 2 === 0 ? store : other)))
      expect(await look()).toEqual({ inputs: [], counted: 0, sum: 0 })
    }
  })

  test.each([
    ['one input', () => queuedRun()],
    ['an input each', (n: number) => queuedRun({ input: `{"a":${n}}` })],
  ])(
    'runs of one hook on one case that are queued together with %s go one after the other',
    async (_, make) => {
      await store.queue.enqueue(by('a'), [1, 2, 3].map(make))
      await store.queue.enqueue(by('a'), [
        queuedRun({ caseId: 2 }),
        queuedRun({ caseId: 2 }),
        queuedRun({ caseId: 3 }),
      ])
      for (const expected of [[1, 4, 6], [2, 5], [3], []]) {
        const runs = await claim()
        expect(runs.map(({ id }) => id).toSorted((one, other) => one - other)).toEqual(expected)
        await settle(runs)
      }
    },
  )
})
