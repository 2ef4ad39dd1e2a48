import { afterEach, describe, expect, test } from 'vitest'
import { findSurvivors } from '../server/child-processes.ts'
import { line, type Speech, startSpokenTasks } from './spoken-tasks.ts'
import { startTasks, wordOf } from './start-tasks.ts'

const closings: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closings.splice(0)) await close()
})

// Counts the scripts that have made a call: those of which a line ran.
async function start(settings: Record<string, string> = {}) {
  let calls = 0
  const tasks = await startTasks({ ROSTRUM_QUEUE_WAIT_MS: '10000', ...settings }, async () => {
    calls++
    return { status: 200, body: {} }
  })
  closings.push(() => tasks.runner.close())
  return { ...tasks, calls: () => calls }
}

const callOnce = "await graphql('x'); exit('done')"

describe('a run of which nothing has run', () => {
  test('starts over where its sandbox died before it was handed the run', async () => {
    const { run, runner, calls } = await start()
    for (let i = 1; i <= 5; i++) {
      // Nobody has heard of the death yet.
      for (const pid of runner.pids()) process.kill(pid, 'SIGKILL')
      expect((await run(callOnce)).payload).toBe('done')
      expect(calls()).toBe(i)
    }
  })

  test('starts over where its sandbox dies with the run unread', async () => {
    const { run, runner, calls } = await start()
    const pids = runner.pids()
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    const running = run(callOnce)
    await new Promise(setImmediate)
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    expect((await running).payload).toBe('done')
    expect(calls()).toBe(1)
    expect(await findSurvivors(pids, 500)).toEqual([])
  })
})

describe('a run that has begun', () => {
  test('and takes its sandbox with it is not tried again', async () => {
    const { run, calls } = await start()
    const execution = await run("graphql('x'); 'x'.repeat(2 ** 28).split('')")
    expect(['CRASHED', 'MEMORY']).toContain(wordOf(execution))
    expect(calls()).toBe(1)
  })

  test('is not tried again though it has said nothing else', async () => {
    const { starts, run } = spoken({ onRun: [line({ type: 'begun', run: '<run>' }), { exit: 3 }] })
    expect(wordOf(await run())).toBe('CRASHED')
    expect(starts()).toBe(1)
  })

  test('may not begin again', async () => {
    const begun = line({ type: 'begun', run: '<run>' })
    const { starts, run } = spoken({ onRun: [begun + begun] })
    const execution = await run()
    expect(execution.error).toMatchObject({ code: 'CRASHED', message: 'The sandbox began its run twice' })
    expect(starts()).toBe(1)
  })
})

test('a run is handed to three sandboxes at most', async () => {
  const { starts, run } = spoken({ onRun: [{ exit: 3 }] })
  expect(wordOf(await run())).toBe('CRASHED')
  expect(starts()).toBe(3)
})

function spoken(speech: Speech) {
  const { pool, run } = startSpokenTasks({ speech, settings: { ROSTRUM_QUEUE_WAIT_MS: '10000' } })
  closings.push(() => pool.close())
  const pids = new Set<number>()
  const watch = setInterval(() => {
    for (const sandbox of pool.pids) pids.add(sandbox)
  }, 2)
  closings.push(async () => clearInterval(watch))
  // The last one waits, and has been handed nothing.
  return { run, starts: () => pids.size - pool.pids.filter(pid => pids.has(pid)).length }
}
