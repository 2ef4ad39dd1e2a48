import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { SandboxPool } from '../../../src/scripts/pool/sandbox-pool.ts'
import { findSurvivors, signalAll } from '../../server/processes/child-processes.ts'
import { until } from '../../server/processes/until.ts'
import { exitLine, ready, type Speech, speakingCommand, startSpokenTasks } from '../run/spoken-tasks.ts'
import { pools, serve, startPool } from './start-pool.ts'

const speaking = (speech: Speech = {}) => speakingCommand(speech)

/** Starts sandboxes one by one, each when the one before has booted. */
async function growTo(pool: SandboxPool, size: number): Promise<void> {
  await until(() => {
    pool.grow()
    return pool.pids.length === size
  })
}

describe('a pool', () => {
  test('keeps its number of warm sandboxes, and is ready when one has booted', async () => {
    const { pool } = startPool({ command: speaking(), warm: 2, max: 4 })
    expect([pool.pids.length, pool.isReady]).toEqual([2, false])
    await until(() => pool.isReady)
    expect(pool.takeIdle('a')?.isIdle).toBe(true)
  })

  test('replaces each sandbox that ends, for any reason', async () => {
    const { pool } = startPool({ command: speaking(), warm: 2, max: 2 })
    for (const signal of ['SIGKILL', 'SIGSEGV', 'SIGTERM'] as const) {
      await until(() => pool.pids.length === 2 && pool.isReady)
      const before = pool.pids
      signalAll(before, signal)
      await until(() => pool.pids.length === 2 && !pool.pids.some(pid => before.includes(pid)))
    }
  })

  test('gives an idle sandbox, preferably one that ran for the account', async () => {
    const { pool, run } = startSpokenTasks({
      speech: { onRun: [exitLine() + ready] },
      settings: { ROSTRUM_SANDBOXES: '2', ROSTRUM_WARM_SANDBOXES: '2' },
    })
    pools.push(pool)
    await until(() => pool.takeIdle('a') !== null)
    const first = pool.takeIdle('a')
    first?.occupy()
    await until(() => pool.takeIdle('b') !== null)
    await run('b')
    await until(() => pool.takeIdle('b') !== null)
    const other = pool.takeIdle('b')
    other?.occupy()
    first?.vacate()
    await run('a')
    await until(() => pool.takeIdle('a') !== null)
    expect(pool.takeIdle('a')).toBe(first)
    other?.vacate()
    expect(pool.takeIdle('a')).toBe(first)
    expect(pool.takeIdle('b')).toBe(other)
  })

  test('gives no sandbox twice', async () => {
    const { pool } = startPool({ command: speaking(), warm: 1, max: 1 })
    await until(() => pool.isReady)
    pool.takeIdle('a')?.occupy()
    expect(pool.takeIdle('a')).toBe(null)
  })

  test('grows on demand by one boot at a time, and never past its maximum', async () => {
    const { pool } = startPool({ command: speaking(), warm: 1, max: 3 })
    pool.grow()
    expect(pool.pids).toHaveLength(1)
    expect([pool.canGrow(2), pool.canGrow(100)]).toEqual([true, false])
    await until(() => pool.isReady)
    for (let asked = 0; asked < 3; asked++) pool.grow()
    expect(pool.pids).toHaveLength(2)
    await growTo(pool, 3)
    await until(() => !pool.canGrow(1))
    pool.grow()
    expect(pool.pids).toHaveLength(3)
  })

  test('stops the sandboxes that a burst has started, also while it serves, and counts no restart', async () => {
    const command = speaking({ onRun: [exitLine() + ready] })
    const { pool, causes } = startPool({ command, warm: 1, max: 3, shrinkMs: 500 })
    await growTo(pool, 3)
    // None is stopped before it has booted, which takes a while on a busy machine.
    while (pool.pids.length > 1) {
      if (pool.takeIdle('a') !== null) await serve(pool)
      await sleep(20)
    }
    expect(pool.pids).toHaveLength(1)
    await sleep(600)
    expect(pool.takeIdle('a')?.isIdle).toBe(true)
    expect(causes).toEqual([])
    pool.takeIdle('a')?.kill('did not end its run in time')
    await until(() => causes.length > 0)
    expect(causes).toEqual(['timeout'])
  })

  test('is not ready while all booted sandboxes are dying', async () => {
    const { pool } = startPool({ command: speaking(), warm: 1, max: 1 })
    await until(() => pool.isReady)
    pool.takeIdle('a')?.kill('was ended because its gateway stopped')
    expect([pool.isReady, pool.takeIdle('a')]).toEqual([false, null])
    await until(() => pool.isReady)
  })
})

describe('sandboxes that do not boot', () => {
  test('do not affect the others', async () => {
    const command = speaking({ atStart: ['nonsense\n'] })
    const { pool, lines } = startPool({ command, warm: 2, max: 2 })
    await until(() => lines.length > 0)
    await pool.close()
    expect(pool.pids).toEqual([])
  })
})

describe('closing', () => {
  test('ends every process, booting, idle or stopped, and starts no new one', async () => {
    const { pool } = startPool({ command: speaking(), warm: 3, max: 4 })
    await until(() => pool.isReady)
    await growTo(pool, 4)
    const { pids } = pool
    process.kill(pids[0] ?? 0, 'SIGSTOP')
    await pool.close()
    expect(await findSurvivors(pids, 1)).toEqual([])
    pool.grow()
    expect([pool.canGrow(1), pool.pids]).toEqual([false, []])
    // By the time that a later pool has booted, this one would have too.
    const { pool: later } = startPool({ command: speaking(), warm: 1, max: 1 })
    await until(() => later.isReady)
    expect([pool.pids, pool.isReady]).toEqual([[], false])
  })

  test('is harmless twice or before the start', async () => {
    const pool = new SandboxPool({
      command: speaking(),
      maxFrameBytes: 1,
      maxUnreadBytes: 1,
      warm: 1,
      max: 1,
      log: pino({ level: 'silent' }),
    })
    await pool.close()
    pool.start()
    expect(pool.pids).toEqual([])
    await pool.close()
  })
})

describe('a worn sandbox', () => {
  test('is replaced after its last run without affecting any', async () => {
    const { pool, run } = startSpokenTasks({
      speech: { onRun: [exitLine() + ready] },
      settings: { ROSTRUM_SANDBOXES: '2', ROSTRUM_WARM_SANDBOXES: '2' },
      maxRuns: 2_000,
    })
    pools.push(pool)
    await until(() => pool.pids.length === 2 && pool.idle === 2)
    const before = pool.pids
    const isLeft = (pid: number) => before.includes(pid)
    const outcomes = new Set<string>()
    const work = async (isOver: () => boolean) => {
      while (!isOver()) outcomes.add((await run()).outcome)
    }
    const together = (isOver: () => boolean) => Promise.all([work(isOver), work(isOver), work(isOver)])
    let asked = 0
    await together(() => asked++ >= 1_990)
    expect(pool.pids).toEqual(before)
    await together(() => !pool.pids.every(isLeft))
    expect([...outcomes]).toEqual(['exit'])
  })
})
