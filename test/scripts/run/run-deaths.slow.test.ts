import { afterEach, describe, expect, test } from 'vitest'
import { RostrumError } from '../../../src/errors.ts'
import { findSurvivors } from '../../server/processes/child-processes.ts'
import { until } from '../../server/processes/until.ts'
import { answerOrHang, logged, startTasks, type TestGraphql, type TestTasks, wordOf } from './start-tasks.ts'

const started: TestTasks[] = []

afterEach(async () => {
  for (const { runner } of started.splice(0)) await runner.close()
})

// Also reports when a script makes its first call, and in which sandbox.
async function start(settings: Record<string, string>, answer: TestGraphql = answerOrHang) {
  const called = Promise.withResolvers<void>()
  const tasks = await startTasks({ ...settings }, request => {
    called.resolve()
    return answer(request)
  })
  started.push(tasks)
  const [pid = 0] = tasks.runner.pids()
  return { ...tasks, called: called.promise, pid }
}

const hang = "log('before'); await graphql('hang'); exit('late')"

describe('a sandbox', () => {
  test('that hangs is killed at the deadline, and the logs are in the answer', async () => {
    const { run, called, pid } = await start({ ROSTRUM_TASK_TIMEOUT_MS: '2000' })
    const running = run(hang)
    await called
    process.kill(pid, 'SIGSTOP')
    const execution = await running
    expect([wordOf(execution), logged(execution)]).toEqual(['TIMEOUT', [['before']]])
    expect(execution.error?.message).toBe('The run did not end within its 2000 ms')
    expect(await findSurvivors([pid])).toEqual([])
    expect((await run('exit(1)')).payload).toBe(1)
  })

  test.each(['SIGKILL', 'SIGSEGV', 'SIGABRT'] as const)(
    'that dies by %s ends only its own run',
    async signal => {
      const gates: (() => void)[] = []
      const settings = { ROSTRUM_SANDBOXES: '2', ROSTRUM_WARM_SANDBOXES: '2' }
      const { run, pid } = await start(settings, ({ query }) => {
        const { promise, resolve } = Promise.withResolvers<{ status: number; body: unknown }>()
        gates.push(() => resolve({ status: 200, body: query }))
        return promise
      })
      const runs = ['a', 'b'].map(name =>
        run(`log('${name}'); exit(await graphql('${name}'))`, { account: name }),
      )
      await until(() => gates.length === 2)
      process.kill(pid, signal)
      const ended = await Promise.race(runs)
      expect([wordOf(ended), ended.error?.message]).toEqual(['CRASHED', `The sandbox was ended by ${signal}`])
      for (const gate of gates) gate()
      const executions = await Promise.all(runs)
      expect(executions.map(wordOf).toSorted()).toEqual(['CRASHED', 'exit'])
      expect(executions.map(execution => logged(execution)[0]?.[0])).toEqual(['a', 'b'])
      expect(await findSurvivors([pid])).toEqual([])
      expect((await run('exit(1)')).payload).toBe(1)
    },
  )

  test('that is killed while idle is replaced before the next run', async () => {
    const { run, runner, pid } = await start({})
    process.kill(pid, 'SIGKILL')
    await findSurvivors([pid], 1_000)
    await until(() => !runner.pids().includes(pid))
    expect((await run('exit(1)')).payload).toBe(1)
  })
})

test.each([
  ['objects', 'const all = []; for (;;) all.push({ x: [1, 2, 3] })'],
  ['one array', 'exit(Array(2e8).fill(0).length)'],
])('a run that fills its memory with %s ends in MEMORY, its logs in the answer', async (_, bomb) => {
  const { run, pid } = await start({ ROSTRUM_TASK_MEMORY_MB: '32', ROSTRUM_TASK_CPU_MS: '8000' })
  const execution = await run(`log('before'); ${bomb}`)
  expect([wordOf(execution), logged(execution)]).toEqual(['MEMORY', [['before']]])
  expect(await findSurvivors([pid])).toEqual([])
  expect((await run('exit(1)')).payload).toBe(1)
})

describe('when its caller disconnects', () => {
  test.each([
    ['waits for a call', hang],
    ['spins', "graphql('x'); for (;;);"],
    ['is in native code', "graphql('x'); 'a'.repeat(2 ** 24).lastIndexOf('a'.repeat(2 ** 23) + 'b')"],
  ])('a run that %s ends with it, and its sandbox is gone', async (_, sourceCode) => {
    const { run, called, pid } = await start({ ROSTRUM_TASK_CPU_MS: '60000' })
    const controller = new AbortController()
    const running = run(sourceCode, { signal: controller.signal })
    await called
    controller.abort(new Error('disconnected'))
    expect(wordOf(await running)).toBe('CRASHED')
    expect(await findSurvivors([pid])).toEqual([])
    expect((await run('exit(1)')).payload).toBe(1)
  })

  test('a run that waits for a sandbox never begins', async () => {
    const { run, called } = await start({})
    const holder = new AbortController()
    const running = run(hang, { signal: holder.signal })
    await called
    const controller = new AbortController()
    const waiting = run('exit(1)', { signal: controller.signal })
    const gone = new Error('disconnected')
    controller.abort(gone)
    await expect(waiting).rejects.toBe(gone)
    await expect(run('exit(1)', { signal: AbortSignal.abort(gone) })).rejects.toBe(gone)
    holder.abort()
    await running
  })

  test('the calls of its run end as well', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const { run, called } = await start({}, ({ run: { signal } }) => {
      signal.addEventListener('abort', () => resolve(signal.reason))
      return new Promise(() => undefined)
    })
    const controller = new AbortController()
    const running = run(hang, { signal: controller.signal })
    await called
    controller.abort()
    await running
    expect(await promise).toBeInstanceOf(RostrumError)
  })
})

describe('closing', () => {
  test('ends runs, refuses waiting ones and leaves no process', async () => {
    let calls = 0
    const settings = { ROSTRUM_SANDBOXES: '2', ROSTRUM_TASK_CPU_MS: '60000' }
    const { run, runner } = await start(settings, () => {
      calls++
      return new Promise(() => undefined)
    })
    const runs = [run(hang), run("graphql('x'); for (;;);", { account: 'beta' })]
    await until(() => calls === 2)
    const waiting = run('exit(1)').catch((error: unknown) => error)
    const pids = runner.pids()
    await runner.close()
    expect(await findSurvivors(pids, 1)).toEqual([])
    expect([runner.pids(), runner.ready()]).toEqual([[], false])
    expect((await Promise.all(runs)).map(wordOf)).toEqual(['CRASHED', 'CRASHED'])
    expect(await waiting).toMatchObject({ code: 'OVERLOADED' })
  })
})
