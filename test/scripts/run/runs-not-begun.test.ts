import { afterEach, describe, expect, test } from 'vitest'
import { RunLog } from '../../../src/scripts/ending/run-log.ts'
import { runAdmitted } from '../../../src/scripts/run/run-admitted.ts'
import { findSurvivors, signalAll } from '../../server/processes/child-processes.ts'
import { until } from '../../server/processes/until.ts'
import { runLimits as limits, runMessage } from '../launch/start-sandbox.ts'
import { closeAdmissions, startAdmission } from '../pool/admission/start-admission.ts'
import { exitLine, line, type Speech, startSpokenTasks } from './spoken-tasks.ts'
import { startTasks, wordOf } from './start-tasks.ts'

const closings: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closings.splice(0)) await close()
  await closeAdmissions()
})

// Counts the scripts that made a call, so that at least one line ran.
async function start(settings: Record<string, string> = {}) {
  let calls = 0
  const tasks = await startTasks(settings, async () => {
    calls++
    return { status: 200, body: {} }
  })
  closings.push(() => tasks.runner.close())
  return { ...tasks, calls: () => calls }
}

const callOnce = "await graphql('x'); exit('done')"

describe('a run that has not begun', () => {
  test('starts over if its sandbox died before it received the run', async () => {
    const { run, runner, calls } = await start()
    for (let i = 1; i <= 5; i++) {
      // The death is not noticed yet.
      signalAll(runner.pids(), 'SIGKILL')
      expect((await run(callOnce)).payload).toBe('done')
      expect(calls()).toBe(i)
    }
  })

  test('starts over if its sandbox dies before reading the run', async () => {
    const { run, runner, calls } = await start()
    const pids = runner.pids()
    signalAll(pids, 'SIGSTOP')
    const running = run(callOnce)
    await new Promise(setImmediate)
    signalAll(pids, 'SIGKILL')
    expect((await running).payload).toBe('done')
    expect(calls()).toBe(1)
    expect(await findSurvivors(pids, 500)).toEqual([])
  })

  test('starts over if its sandbox is stopped and does not begin it', async () => {
    const { run, runner, calls } = await start()
    const pids = runner.pids()
    signalAll(pids, 'SIGSTOP')
    expect((await run(callOnce)).payload).toBe('done')
    expect(calls()).toBe(1)
    expect(await findSurvivors(pids, 500)).toEqual([])
  })

  test('stays in a sandbox that works for long before it begins it', async () => {
    // As one does that reads a long document, or has little of a busy processor.
    const works = Array.from({ length: 7 }, () => [{ work: 30 }, { wait: 400 }]).flat()
    const { run } = spoken({ onRun: [...works, line({ type: 'begun', run: '<run>' }) + exitLine()] })
    expect(wordOf(await run())).toBe('exit')
  })

  test('starts over in the last idle sandbox, because it has not destroyed the first', async () => {
    const { admission, pool } = await startAdmission({ max: 2, bootMs: 1_000 })
    await until(() => pool.idle === 2)
    const [, pid = 0] = pool.pids
    const client = new AbortController()
    let admitted = 0
    const running = runAdmitted(
      { limits, admission },
      {
        message: runMessage('exit(1)'),
        deadline: performance.now() + 60_000,
        nested: false,
        signal: client.signal,
        scriptLog: new RunLog({ limits, system: { write: () => undefined } }),
        answer: async () => '',
        onAdmitted: () => admitted++,
        onBegun: () => undefined,
      },
    )
    await until(() => admitted === 1)
    process.kill(pid, 'SIGKILL')
    await until(() => admitted === 2)
    expect(pool.states).toEqual({ idle: 0, busy: 1, starting: 1 })
    client.abort()
    await running
  })
})

// With one sandbox, each of these runs may get it several times while it does not recover from the run before.
test('a run starts over however often its sandbox does not leave the script before', async () => {
  const { run, calls } = await start({ ROSTRUM_ISOLATION: 'account' })
  const first = run("try { exit('first') } catch { for (;;); }")
  const called = run(callOnce)
  const others = Array.from({ length: 6 }, () => run("try { exit('other') } catch { for (;;); }"))
  const executions = await Promise.all([first, called, ...others])
  expect(executions.map(({ payload }) => payload)).toEqual(['first', 'done', ...others.map(() => 'other')])
  expect(calls()).toBe(1)
})

describe('a run that has begun', () => {
  test('is not repeated if it crashes its sandbox', async () => {
    const { run, calls } = await start()
    const execution = await run("graphql('x'); 'x'.repeat(2 ** 28).split('')")
    expect(['CRASHED', 'MEMORY']).toContain(wordOf(execution))
    expect(calls()).toBe(1)
  })

  test('is not repeated even if it sent nothing else', async () => {
    const { starts, run } = spoken({ onRun: [line({ type: 'begun', run: '<run>' }), { exit: 3 }] })
    expect(wordOf(await run())).toBe('CRASHED')
    expect(starts()).toBe(1)
  })

  test('may not begin twice', async () => {
    const begun = line({ type: 'begun', run: '<run>' })
    const { starts, run } = spoken({ onRun: [begun + begun] })
    const execution = await run()
    expect(execution.error).toMatchObject({ code: 'CRASHED', message: 'The sandbox began its run twice' })
    expect(starts()).toBe(1)
  })
})

test('a run is given to at most three sandboxes', async () => {
  const { starts, run } = spoken({ onRun: [{ exit: 3 }] })
  expect(wordOf(await run())).toBe('CRASHED')
  expect(starts()).toBe(3)
})

function spoken(speech: Speech) {
  const { pool, run } = startSpokenTasks({ speech, settings: { ROSTRUM_QUEUE_WAIT_MS: '60000' } })
  closings.push(() => pool.close())
  const pids = new Set<number>()
  const watch = setInterval(() => {
    for (const sandbox of pool.pids) pids.add(sandbox)
  }, 2)
  closings.push(async () => clearInterval(watch))
  // The last sandbox is idle and received nothing.
  return { run, starts: () => pids.size - pool.pids.filter(pid => pids.has(pid)).length }
}
