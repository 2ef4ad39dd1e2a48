import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { until } from '../../server/processes/until.ts'
import { exitLine, ready, type Speech, speakingCommand, startSpokenTasks } from '../run/spoken-tasks.ts'
import { pools, serve, startPool } from './start-pool.ts'

const speaking = (speech: Speech = {}) => speakingCommand(speech)

describe('sandboxes that do not boot', () => {
  test('are retried with growing pauses, and each failure is logged with its standard error', async () => {
    const script = 'echo "no room here" >&2; exit 3'
    const command = { file: 'sh', args: ['-c', script], env: { PATH: process.env.PATH ?? '' }, firstLine: '' }
    const { pool, lines } = startPool({ command, warm: 1, max: 4 })
    await sleep(1_000)
    // Pauses of 100, 200, 400 and 800 ms.
    expect(lines.length).toBeGreaterThanOrEqual(2)
    expect(lines.length).toBeLessThanOrEqual(4)
    expect(lines[0]).toMatchObject({
      level: 50,
      reason: 'exited with code 3',
      stderr: 'no room here\n',
      attempt: 1,
      msg: 'a sandbox did not boot',
    })
    expect(pool.isReady).toBe(false)
  })

  test('are not retried more often for waiting runs', async () => {
    const command = {
      file: 'sh',
      args: ['-c', 'exit 3'],
      env: { PATH: process.env.PATH ?? '' },
      firstLine: '',
    }
    const { pool, lines } = startPool({ command, warm: 1, max: 4 })
    const startedAt = performance.now()
    while (performance.now() - startedAt < 1_000) {
      pool.grow()
      await sleep(20)
    }
    // After pauses of 100, 200, 400 and 500 ms.
    expect(lines.length).toBeGreaterThanOrEqual(2)
    expect(lines.length).toBeLessThanOrEqual(5)
  })
})

describe('a worn sandbox', () => {
  test('serves until its replacement has booted, so that no run waits for a boot', async () => {
    const bootMs = 400
    const { pool, run } = startSpokenTasks({
      speech: { atStart: [{ wait: bootMs }, ready], onRun: [exitLine() + ready] },
      settings: { ROSTRUM_SANDBOXES: '2', ROSTRUM_WARM_SANDBOXES: '2' },
      maxRuns: 20,
    })
    pools.push(pool)
    await until(() => pool.takeIdle('a') !== null && pool.pids.length === 2)
    const seen = new Set(pool.pids)
    let maxMs = 0
    let maxProcesses = 0
    const outcomes = new Set<string>()
    const worker = async () => {
      while (seen.size < 6) {
        const before = performance.now()
        outcomes.add((await run()).outcome)
        maxMs = Math.max(maxMs, performance.now() - before)
        maxProcesses = Math.max(maxProcesses, pool.pids.length)
        for (const pid of pool.pids) seen.add(pid)
      }
    }
    await Promise.all([worker(), worker(), worker()])
    expect([...outcomes]).toEqual(['exit'])
    expect(maxMs).toBeLessThan(bootMs)
    expect(maxProcesses).toBe(3)
  })

  test('serves while its replacement fails to boot, which is retried with growing pauses', async () => {
    const folder = makeTempFolder()
    const bootsOnce = '[ -e "$1/mark" ] && exit 3; : > "$1/mark"; shift; exec "$@"'
    const { file, args, ...rest } = speaking({ onRun: [exitLine() + ready] })
    const command = { ...rest, file: 'sh', args: ['-c', bootsOnce, 'sh', folder.path, file, ...args] }
    const { pool, lines } = startPool({ command, warm: 1, max: 1, maxRuns: 2 })
    const startedAt = performance.now()
    let served = 0
    while (performance.now() - startedAt < 1_200) {
      await until(() => pool.takeIdle('a') !== null)
      await serve(pool)
      served++
    }
    folder.remove()
    expect(served).toBeGreaterThan(10)
    expect(lines.map(({ attempt }) => attempt)).toEqual(lines.map((_, i) => i + 1))
    expect(lines.length).toBeGreaterThanOrEqual(2)
    expect(lines.length).toBeLessThanOrEqual(4)
  })
})
