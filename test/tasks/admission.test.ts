import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { Admitted } from '../../src/tasks/admission.ts'
import { giveBack, lose, startAdmission } from './start-admission.ts'

const pools: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
})

async function start(settings: Parameters<typeof startAdmission>[0]) {
  const started = await startAdmission(settings)
  pools.push(started.pool)
  return started
}

const refusal = (promise: Promise<Admitted>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  )

describe('turns', () => {
  // One sandbox is held; the others ask in the order given and are served one after another.
  async function serve(asking: string[], late: Record<number, string> = {}) {
    const { ask, waiting } = await start({ most: 1 })
    const held = await ask('holder')
    const served: string[] = []
    const runs: Promise<void>[] = []
    const queue = (account: string, name: string) =>
      runs.push(
        ask(account).then(async admitted => {
          served.push(name)
          const later = late[served.length]
          if (later !== undefined) queue(later.slice(0, 1), later)
          await sleep(1)
          giveBack(admitted)
        }),
      )
    for (const name of asking) queue(name.slice(0, 1), name)
    expect(waiting()).toBe(asking.length)
    giveBack(held)
    for (let done = 0; done < runs.length; done++) await runs[done]
    expect(waiting()).toBe(0)
    return served
  }

  test('within one account first come is first served', async () => {
    expect(await serve(['a1', 'a2', 'a3'])).toEqual(['a1', 'a2', 'a3'])
  })

  test('are taken between accounts, however many runs one of them has waiting', async () => {
    expect(await serve(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2'])).toEqual([
      'a1',
      'b1',
      'c1',
      'a2',
      'c2',
      'a3',
      'a4',
    ])
  })

  test('go to an account that comes late before the third run of one that waits', async () => {
    expect(await serve(['a1', 'a2', 'a3', 'a4'], { 1: 'b1' })).toEqual(['a1', 'a2', 'b1', 'a3', 'a4'])
  })

  test('are not gained by coming again and again', async () => {
    const served = await serve(['a1', 'b1', 'b2', 'b3'], { 1: 'a2', 3: 'a3' })
    expect(served).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
  })
})

describe('the sandboxes', () => {
  test('are started as they are asked for, up to the bound and no further', async () => {
    const { ask, pool, waiting } = await start({ most: 3, warm: 1 })
    expect(pool.pids).toHaveLength(1)
    const held = await Promise.all([ask('a'), ask('b'), ask('c')])
    const asked = ask('d')
    await sleep(100)
    expect([pool.pids.length, waiting()]).toEqual([3, 1])
    for (const admitted of held) giveBack(admitted)
    giveBack(await asked)
  })

  test('are each given to one run at a time', async () => {
    const { ask } = await start({ most: 3 })
    const held = await Promise.all([ask('a'), ask('b'), ask('c')])
    expect(new Set(held.map(({ sandbox }) => sandbox.pid)).size).toBe(3)
  })

  test('are not all given to one account, where there are four', async () => {
    const { ask, waiting } = await start({ most: 4, runs: 2, accountRuns: 2 })
    await Promise.all([ask('a'), ask('a'), ask('a')])
    const asked = [ask('a'), ask('a')]
    await sleep(50)
    expect(waiting()).toBe(2)
    // The queue is full, and still another account finds the sandbox that was left to it.
    const before = performance.now()
    giveBack(await ask('b'))
    expect(performance.now() - before).toBeLessThan(500)
    expect(waiting()).toBe(2)
    expect(await Promise.race([...asked, sleep(50)])).toBe(undefined)
  })

  test.each([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 3],
    [5, 4],
    [8, 6],
  ])('of which there are %i may be held by one account to the number of %i', async (most, held) => {
    const { ask, waiting } = await start({ most })
    let count = 0
    for (let i = 0; i < most + 1; i++) void refusal(ask('a').finally(() => count++))
    for (let waited = 0; count < held && waited < 3_000; waited += 10) await sleep(10)
    await sleep(50)
    expect([count, waiting()]).toEqual([held, most + 1 - held])
  })

  test('that are lost are replaced, for those who wait', async () => {
    const { ask, pool } = await start({ most: 1 })
    for (let i = 0; i < 5; i++) {
      const held = await ask('a')
      const asked = ask('b')
      await lose(held)
      const next = await asked
      expect(next.sandbox.pid).not.toBe(held.sandbox.pid)
      giveBack(next)
    }
    expect(pool.pids).toHaveLength(1)
  })

  test('that are told to die while idle are not given to anybody', async () => {
    const { ask } = await start({ most: 2 })
    for (let i = 0; i < 20; i++) {
      const [first, second] = await Promise.all([ask('a'), ask('a')])
      giveBack(first)
      first.sandbox.kill('is worn')
      const next = ask('b')
      giveBack(second)
      expect((await next).sandbox).not.toBe(first.sandbox)
      giveBack(await next)
    }
  })
})

describe('a place', () => {
  test('given back twice counts once', async () => {
    const { ask, waiting } = await start({ most: 4 })
    const held = await Promise.all([ask('a'), ask('a'), ask('a')])
    const asked = [ask('a'), ask('a')]
    const [first] = held
    for (let i = 0; i < 3; i++) if (first !== undefined) giveBack(first)
    await Promise.race(asked)
    await sleep(30)
    expect(waiting()).toBe(1)
  })

  test('is free again though the sandbox is lost', async () => {
    const { ask } = await start({ most: 4 })
    for (let i = 0; i < 8; i++) await lose(await ask('a'))
    await Promise.all([ask('a'), ask('a'), ask('a')])
  })
})

describe('a run that waits', () => {
  test('is refused once its time is over, and leaves the queue', async () => {
    const { ask, waiting } = await start({ most: 1, waitMs: 150 })
    const held = await ask('a')
    const before = performance.now()
    expect(await refusal(ask('b'))).toMatchObject({
      code: 'OVERLOADED',
      message: 'No sandbox came free within 150 ms. Try again in 1 s.',
      retryAfterSeconds: 1,
    })
    const waited = performance.now() - before
    expect(waited).toBeGreaterThanOrEqual(145)
    expect(waited).toBeLessThan(1_000)
    expect(waiting()).toBe(0)
    giveBack(held)
    giveBack(await ask('b'))
  })

  test('does not wait past its own deadline', async () => {
    const { ask, waiting } = await start({ most: 1 })
    await ask('a')
    const before = performance.now()
    expect(await refusal(ask('b', { deadline: before + 100 }))).toMatchObject({ code: 'OVERLOADED' })
    expect(performance.now() - before).toBeLessThan(1_000)
    expect(await refusal(ask('b', { deadline: before }))).toMatchObject({ code: 'OVERLOADED' })
    expect(waiting()).toBe(0)
  })

  test('leaves the queue when its caller goes away, with the reason and without a trace', async () => {
    const { ask, waiting } = await start({ most: 1 })
    const held = await ask('a')
    const controller = new AbortController()
    const gone = new Error('gone away')
    const asked = refusal(ask('b', { signal: controller.signal }))
    const behind = ask('b')
    expect(waiting()).toBe(2)
    controller.abort(gone)
    expect(await asked).toBe(gone)
    expect(waiting()).toBe(1)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    giveBack(held)
    giveBack(await behind)
    giveBack(await ask('c'))
  })

  test('leaves no listener behind when it is admitted or refused', async () => {
    const { ask } = await start({ most: 1, waitMs: 50 })
    const { signal } = new AbortController()
    const held = await ask('a', { signal })
    await refusal(ask('a', { signal }))
    const asked = ask('a', { signal })
    giveBack(held)
    giveBack(await asked)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('whose caller was gone before takes nothing', async () => {
    const { ask } = await start({ most: 1 })
    const gone = new Error('gone away')
    expect(await refusal(ask('a', { signal: AbortSignal.abort(gone) }))).toBe(gone)
    giveBack(await ask('a'))
  })

  test('whose caller goes away in the moment of its turn takes nothing from the others', async () => {
    const { ask } = await start({ most: 1 })
    for (let i = 0; i < 20; i++) {
      const held = await ask('a')
      const controller = new AbortController()
      const asked = ask('b', { signal: controller.signal })
      giveBack(held)
      controller.abort()
      // Its turn came first: it has the sandbox, and gives it back.
      giveBack(await asked)
    }
    giveBack(await ask('c'))
  })

  test('is refused when the gateway stops', async () => {
    const { ask, admission, waiting } = await start({ most: 1 })
    await ask('a')
    const asked = [refusal(ask('a')), refusal(ask('b'))]
    admission.close()
    for (const error of await Promise.all(asked)) expect(error).toMatchObject({ code: 'OVERLOADED' })
    expect(waiting()).toBe(0)
  })
})

describe('the queue', () => {
  test('holds so many runs of one account, and says when to come again', async () => {
    const { ask } = await start({ most: 1, accountRuns: 2, waitMs: 2_500 })
    await ask('a')
    for (let i = 0; i < 2; i++) void refusal(ask('a'))
    const before = performance.now()
    expect(await refusal(ask('a'))).toMatchObject({
      code: 'OVERLOADED',
      message: '2 runs of this account are waiting already, the most there may be. Try again in 3 s.',
      retryAfterSeconds: 3,
    })
    expect(performance.now() - before).toBeLessThan(50)
    void refusal(ask('b'))
  })

  test('holds so many runs in all', async () => {
    const { ask, waiting } = await start({ most: 1, runs: 3 })
    await ask('a')
    for (const account of ['a', 'b', 'c']) void refusal(ask(account))
    expect(await refusal(ask('d'))).toMatchObject({
      code: 'OVERLOADED',
      message: '3 runs are waiting already, the most there may be. Try again in 5 s.',
    })
    expect(waiting()).toBe(3)
  })

  test('of no length still lets runs have what is idle, and what can be started', async () => {
    const { ask } = await start({ most: 2, warm: 1, runs: 0, accountRuns: 0 })
    const held = [await ask('a'), await ask('a')]
    expect(await refusal(ask('a'))).toMatchObject({ code: 'OVERLOADED' })
    for (const admitted of held) giveBack(admitted)
    giveBack(await ask('a'))
  })
})

describe('a run inside a run', () => {
  test('gets what is idle', async () => {
    const { ask } = await start({ most: 2 })
    await ask('a')
    await ask('a', { nested: true })
  })

  test('is refused at once where all sandboxes are held, be it by its parent alone', async () => {
    const { ask, waiting } = await start({ most: 1 })
    await ask('a')
    const before = performance.now()
    expect(await refusal(ask('a', { nested: true }))).toMatchObject({
      code: 'OVERLOADED',
      message: 'No sandbox is free for a run inside a run. Try again in 1 s.',
    })
    expect(performance.now() - before).toBeLessThan(50)
    expect(waiting()).toBe(0)
  })

  test('is refused at once where its account holds all that it may', async () => {
    const { ask } = await start({ most: 4 })
    await Promise.all([ask('a'), ask('a'), ask('a')])
    expect(await refusal(ask('a', { nested: true }))).toMatchObject({ code: 'OVERLOADED' })
    await ask('b', { nested: true })
  })

  test('waits for one that is started for it, as do others beside it', async () => {
    const { ask, pool } = await start({ most: 5, warm: 1 })
    await ask('a')
    const nested = [1, 2, 3].map(() => ask('a', { nested: true }))
    expect(new Set((await Promise.all(nested)).map(({ sandbox }) => sandbox.pid)).size).toBe(3)
    expect(pool.pids).toHaveLength(4)
  })

  test('does not wait for those started for others', async () => {
    const { ask, waiting } = await start({ most: 2, warm: 1 })
    await ask('a')
    const other = ask('b')
    expect(await refusal(ask('a', { nested: true }))).toMatchObject({ code: 'OVERLOADED' })
    expect(waiting()).toBe(1)
    await other
  })
})

test('whatever happens, no sandbox is held twice, nothing is lost, and everybody is served', async () => {
  const { ask, pool, waiting } = await start({ most: 4, waitMs: 20_000, accountRuns: 1_000, runs: 1_000 })
  const held = new Set<number>()
  let seed = 1
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const outcomes = { served: 0, lost: 0, gone: 0 }

  async function run(account: string) {
    const controller = new AbortController()
    const isImpatient = random() < 0.2
    if (isImpatient) setTimeout(() => controller.abort(), random() * 20)
    let admitted: Admitted
    try {
      admitted = await ask(account, { signal: controller.signal })
    } catch {
      outcomes.gone++
      return
    }
    const pid = admitted.sandbox.pid ?? 0
    expect(held.has(pid)).toBe(false)
    held.add(pid)
    await sleep(random() * 4)
    held.delete(pid)
    if (random() < 0.05) {
      outcomes.lost++
      await lose(admitted)
    } else {
      outcomes.served++
      giveBack(admitted)
    }
  }

  await Promise.all(Array.from({ length: 400 }, (_, i) => sleep(random() * 200).then(() => run(`a${i % 5}`))))
  expect(outcomes.served + outcomes.lost + outcomes.gone).toBe(400)
  expect(outcomes.served).toBeGreaterThan(200)
  expect([waiting(), held.size]).toEqual([0, 0])
  for (let waited = 0; pool.pids.length < 4 && waited < 2_000; waited += 10) await sleep(10)
  giveBack(await ask('last'))
})
