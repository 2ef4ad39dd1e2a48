import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { Admitted } from '../../../../src/scripts/pool/admission.ts'
import { until } from '../../../server/processes/until.ts'
import { listen, runMessage } from '../../launch/start-sandbox.ts'
import { exitLine, ready } from '../../run/spoken-tasks.ts'
import { closeAdmissions, giveBack, lose, refusal, startAdmission } from './start-admission.ts'

afterEach(closeAdmissions)

describe('turns', () => {
  // One sandbox is held. The others ask in the order given and are served one after another.
  async function serve(asking: string[], late: Record<number, string> = {}) {
    const { ask, waiting } = await startAdmission({ max: 1 })
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

  test('go in order of arrival within one account', async () => {
    expect(await serve(['a1', 'a2', 'a3'])).toEqual(['a1', 'a2', 'a3'])
  })

  test('alternate between accounts, however many runs one of them has waiting', async () => {
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

  test('go to a late account before the third run of a waiting one', async () => {
    expect(await serve(['a1', 'a2', 'a3', 'a4'], { 1: 'b1' })).toEqual(['a1', 'a2', 'b1', 'a3', 'a4'])
  })

  test('are not gained by asking repeatedly', async () => {
    const served = await serve(['a1', 'b1', 'b2', 'b3'], { 1: 'a2', 3: 'a3' })
    expect(served).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
  })

  test('go first to accounts that have lately held sandboxes for less time', async () => {
    let clock = 0
    const { ask } = await startAdmission({ max: 1, readMs: () => clock })
    const served: string[] = []
    let held = await ask('a')
    const asked = ['a', 'b', 'a', 'b', 'b'].map(async account => {
      held = await ask(account)
      served.push(account)
    })
    // Runs of `a` take 150 ms, those of `b` 5 ms. The use of `a` is forgotten after a while.
    for (let turn = 1; turn <= asked.length; turn++) {
      clock += served.at(-1) === 'b' ? 5 : 150
      giveBack(held)
      await until(() => served.length === turn)
    }
    expect(served).toEqual(['b', 'b', 'b', 'a', 'a'])
    giveBack(held)
    clock += 3_600_000
    held = await ask('c')
    const later = ['a', 'b'].map(async account => {
      giveBack(await ask(account))
      served.push(account)
    })
    giveBack(held)
    await Promise.all(later)
    expect(served.slice(5)).toEqual(['a', 'b'])
  })
})

describe('the sandboxes', () => {
  test('are left to others by an account that destroyed one, until the next has booted', async () => {
    let clock = 0
    const { ask, pool, waiting } = await startAdmission({ max: 2, bootMs: 2_000, readMs: () => clock })
    await until(() => pool.takeIdle('any') !== null && !pool.isShort)
    await lose(await ask('a'))
    expect(pool.isShort).toBe(true)
    const again = ask('a')
    const other = await ask('b')
    expect(waiting()).toBe(1)
    giveBack(await again)
    giveBack(other)
    // The account has its mark for a second, until its next run that ends well.
    clock = 1_000
    giveBack(await ask('a'))
    expect(pool.isShort).toBe(false)
    await lose(await ask('b'))
    expect(pool.isShort).toBe(true)
    giveBack(await ask('a'))
    expect(pool.isShort).toBe(true)
  })

  test('are left to others by an account that lately destroyed one, though a run of it ended well', async () => {
    const { ask, pool, waiting } = await startAdmission({ max: 2, bootMs: 2_000 })
    await until(() => pool.idle === 2)
    await lose(await ask('a'))
    await until(() => pool.idle === 2)
    giveBack(await ask('a'))
    await lose(await ask('b'))
    expect(pool.isShort).toBe(true)
    void refusal(ask('a'))
    giveBack(await ask('c'))
    expect([pool.isShort, waiting()]).toEqual([true, 1])
  })

  test('are not all taken by an account that destroyed one, but for a run inside a run', async () => {
    const { ask, pool, waiting } = await startAdmission({ max: 4, warm: 2 })
    await until(() => pool.idle === 2)
    await lose(await ask('a'))
    await until(() => pool.idle === 2)
    const first = await ask('a')
    // Its share would allow a second one.
    const second = ask('a')
    expect([pool.idle, waiting()]).toEqual([1, 1])
    const nested = ask('a', { nested: true })
    expect(pool.idle).toBe(0)
    for (const admitted of [first, await nested]) giveBack(admitted)
    giveBack(await second)
  })

  test('are left to others while one recovers from a run of an account that destroyed one', async () => {
    const { ask, pool, waiting } = await startAdmission({ max: 2, speech: { onRun: [exitLine('r')] } })
    await until(() => pool.idle === 2)
    await lose(await ask('a'))
    await until(() => pool.idle === 2)
    const { sandbox, release } = await ask('a')
    const { listener, over } = listen()
    sandbox.begin({ ...runMessage('exit(1)'), accountCode: 'a' }, listener)
    await over
    release()
    expect([pool.idle, pool.rested]).toEqual([2, 1])
    void refusal(ask('a'))
    giveBack(await ask('b'))
    expect(waiting()).toBe(1)
  })

  test('begin no queued run of an account that destroyed one, which is left out of claims', async () => {
    const { ask, pool, admission } = await startAdmission({ max: 2, bootMs: 500 })
    await until(() => pool.idle === 2)
    const { forQueued } = admission
    expect([forQueued.freeOf('a'), forQueued.fullAccounts()]).toEqual([1, []])
    await lose(await ask('a'))
    expect([forQueued.freeOf('a'), forQueued.freeOf('b'), forQueued.fullAccounts()]).toEqual([0, 1, ['a']])
    await until(() => pool.idle === 2)
    expect([forQueued.freeOf('a'), forQueued.fullAccounts()]).toEqual([1, []])
  })

  test('are not left to others by an account whose run had not begun when its sandbox died', async () => {
    const { ask, pool } = await startAdmission({ max: 2, bootMs: 2_000 })
    await until(() => pool.idle === 2)
    const { sandbox, release } = await ask('a')
    sandbox.kill('was ended because its gateway stopped')
    release(false)
    await sandbox.gone
    expect(pool.isShort).toBe(true)
    giveBack(await ask('a'))
    expect(pool.isShort).toBe(true)
  })

  test('are not left to others by an account whose run was the last of a worn one', async () => {
    // A worn sandbox serves until its replacement has booted. Here that happens during its last run.
    const speech = { atStart: [{ wait: 500 }, ready], onRun: [{ wait: 5 }, exitLine() + ready] }
    const { ask, pool } = await startAdmission({ max: 2, maxRuns: 1, speech })
    await until(() => pool.idle === 2)
    const run = async ({ sandbox, release }: Admitted) => {
      const { listener, over } = listen()
      sandbox.begin(runMessage(''), listener)
      await over
      release()
      return sandbox
    }
    const worn = await run(await ask('x'))
    await until(() => pool.idle === 2 && !worn.isRecovering)
    const held = [await ask('a'), await ask('b')]
    await until(() => pool.idle === 1)
    const [last, other] = held[0]?.sandbox === worn ? held : held.toReversed()
    if (last === undefined || other === undefined) throw new Error('Neither has the worn sandbox.')
    const account = last === held[0] ? 'a' : 'b'
    await run(last)
    expect(worn.endReason).toBe('is worn')
    await lose(other)
    await until(() => pool.isShort)
    giveBack(await ask(account))
    expect(pool.isShort).toBe(true)
  })

  test('are started on demand up to the maximum', async () => {
    const { ask, pool, waiting } = await startAdmission({ max: 3, warm: 1 })
    expect(pool.pids).toHaveLength(1)
    const held = await Promise.all([ask('a'), ask('b'), ask('c')])
    const asked = ask('d')
    // By the time that a sandbox of another pool has booted, a fourth one would have too.
    await startAdmission({ max: 1 })
    expect([pool.pids.length, waiting()]).toEqual([3, 1])
    for (const admitted of held) giveBack(admitted)
    giveBack(await asked)
  })

  test('go to the account that holds the fewest, until all waiting accounts hold as many', async () => {
    const { ask } = await startAdmission({ max: 8 })
    const held = await Promise.all(['a', 'a', 'a', 'a', 'a', 'd', 'd'].map(account => ask(account)))
    const served: string[] = []
    const asked = ['a', 'a', 'b', 'b', 'c', 'c', 'b', 'c'].map(account =>
      ask(account).finally(() => served.push(account)),
    )
    for (const each of asked) void refusal(each)
    await asked[2]
    for (const admitted of [...held.slice(0, 3), ...held.slice(5)]) {
      giveBack(admitted)
      await sleep(5)
    }
    // The last of eight went to the first account without one, and is reserved again; `a`, `b` and `c` hold two each.
    expect(served).toEqual(['b', 'c', 'b', 'c', 'a'])
  })

  test('are each given to one run at a time', async () => {
    const { ask } = await startAdmission({ max: 3 })
    const held = await Promise.all([ask('a'), ask('b'), ask('c')])
    expect(new Set(held.map(({ sandbox }) => sandbox.pid)).size).toBe(3)
  })

  test('are not all given to one account if there are four', async () => {
    const { ask, pool, waiting } = await startAdmission({ max: 4, runs: 2, accountRuns: 2 })
    await Promise.all([ask('a'), ask('a'), ask('d')])
    const asked = [ask('a'), ask('a')]
    for (const refused of asked) refused.catch(() => {})
    // The queue is full, and another account still gets the reserved sandbox each time.
    for (let turn = 0; turn < 3; turn++) {
      await until(() => pool.takeIdle('b') !== null)
      giveBack(await ask('b'))
      expect(waiting()).toBe(2)
    }
  })

  test.each([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 2],
    [5, 3],
    [8, 5],
    [16, 10],
  ])('of a maximum of %i: one account may hold %i', async (max, held) => {
    const { ask, pool, waiting } = await startAdmission({ max })
    let count = 0
    for (let i = 0; i < max + 1; i++) void refusal(ask('a').finally(() => count++))
    await until(() => count >= held)
    // The last sandbox has booted and stays idle.
    if (held < max) await until(() => pool.takeIdle('b') !== null)
    expect([count, waiting()]).toEqual([held, max + 1 - held])
  })

  test('leave two of eight to a second account beside one that takes all it can, and one to a third', async () => {
    const { ask, pool, waiting } = await startAdmission({ max: 8 })
    const flood = Array.from({ length: 12 }, () => ask('a'))
    for (const each of flood) void refusal(each)
    await Promise.all(flood.slice(0, 5))
    await Promise.all([ask('b'), ask('b')])
    void refusal(ask('b'))
    await ask('c')
    expect([waiting(), pool.idle]).toEqual([8, 0])
  })

  test('that are lost are replaced for waiting runs', async () => {
    const { ask, pool } = await startAdmission({ max: 1 })
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

  test('that are killed while idle are given to no run', async () => {
    const { ask } = await startAdmission({ max: 2 })
    for (let i = 0; i < 20; i++) {
      const [first, second] = await Promise.all([ask('a'), ask('c')])
      giveBack(first)
      first.sandbox.kill('is worn')
      const next = ask('b')
      giveBack(second)
      expect((await next).sandbox).not.toBe(first.sandbox)
      giveBack(await next)
    }
  })
})

describe('a release', () => {
  test('called twice counts once', async () => {
    const { ask, pool, waiting } = await startAdmission({ max: 4 })
    const [first] = await Promise.all([ask('a'), ask('a'), ask('d')])
    const asked = [ask('a'), ask('a')]
    giveBack(first)
    for (let i = 0; i < 2; i++) first.release()
    await Promise.race(asked)
    await until(() => pool.takeIdle('b') !== null)
    expect(waiting()).toBe(1)
  })

  test('frees the share of a lost sandbox', async () => {
    const { ask } = await startAdmission({ max: 4 })
    for (let i = 0; i < 8; i++) await lose(await ask('a'))
    await Promise.all([ask('a'), ask('a')])
  })
})

describe('a nested run', () => {
  test('gets an idle sandbox', async () => {
    const { ask } = await startAdmission({ max: 2 })
    await ask('a')
    await ask('a', { nested: true })
  })

  test('is refused if all sandboxes are held, even if only by its parent', async () => {
    const { ask, waiting } = await startAdmission({ max: 1 })
    await ask('a')
    expect(await refusal(ask('a', { nested: true }))).toMatchObject({
      code: 'OVERLOADED',
      message: 'No sandbox is free for a run inside a run. Try again in 1 s.',
    })
    expect(waiting()).toBe(0)
  })

  test('is refused if its account holds its maximum', async () => {
    const { ask } = await startAdmission({ max: 8 })
    await Promise.all(Array.from({ length: 5 }, () => ask('a')))
    expect(await refusal(ask('a', { nested: true }))).toMatchObject({ code: 'OVERLOADED' })
    await ask('b', { nested: true })
  })

  test.each([
    [2, 2],
    [3, 3],
    [4, 3],
    [5, 4],
    [6, 4],
    [8, 5],
  ])('of a maximum of %i fits into a chain of %i, whatever waits', async (max, chain) => {
    const { ask, waiting } = await startAdmission({ max, warm: 1 })
    await ask('a')
    for (let held = 1; held < chain; held++) await ask('a', { nested: true })
    expect(await refusal(ask('a', { nested: true }))).toMatchObject({ code: 'OVERLOADED' })
    void refusal(ask('a'))
    expect(waiting()).toBe(1)
  })

  test('waits for a sandbox that is started for it, and so do its siblings', async () => {
    const { ask, pool } = await startAdmission({ max: 5, warm: 1 })
    await ask('a')
    const nested = [1, 2, 3].map(() => ask('a', { nested: true }))
    expect(new Set((await Promise.all(nested)).map(({ sandbox }) => sandbox.pid)).size).toBe(3)
    expect(pool.pids).toHaveLength(4)
  })

  test('does not wait for sandboxes started for others', async () => {
    const { ask, waiting } = await startAdmission({ max: 2, warm: 1 })
    await ask('a')
    const other = ask('b')
    expect(await refusal(ask('a', { nested: true }))).toMatchObject({ code: 'OVERLOADED' })
    expect(waiting()).toBe(1)
    await other
  })
})
