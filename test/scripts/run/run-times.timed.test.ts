import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { answerOrHang, startTasks, type TestGraphql, type TestTasks, wordOf } from './start-tasks.ts'

const started: TestTasks[] = []

afterEach(async () => {
  for (const { runner } of started.splice(0)) await runner.close()
})

// Also reports when a script makes its first call, and in which sandbox.
async function start(settings: Record<string, string>, answer: TestGraphql = answerOrHang) {
  const called = Promise.withResolvers<void>()
  const tasks = await startTasks({ ROSTRUM_QUEUE_WAIT_MS: '10000', ...settings }, request => {
    called.resolve()
    return answer(request)
  })
  started.push(tasks)
  return { ...tasks, called: called.promise }
}

describe('the time of a run', () => {
  test('includes the wait for a sandbox', async () => {
    const gate = Promise.withResolvers<{ status: number; body: unknown }>()
    const { run, called } = await start({ ROSTRUM_TASK_TIMEOUT_MS: '1200' }, ({ query }) =>
      query === 'gate' ? gate.promise : new Promise(() => undefined),
    )
    const first = run("await graphql('gate'); exit(1)")
    await called
    const second = run("await graphql('hang')")
    await sleep(600)
    gate.resolve({ status: 200, body: {} })
    expect(wordOf(await first)).toBe('exit')
    const execution = await second
    expect(wordOf(execution)).toBe('TIMEOUT')
    expect(execution.durationMs).toBeGreaterThanOrEqual(1_190)
    expect(execution.durationMs).toBeLessThan(1_700)
  })

  test('ends while it waits for a sandbox', async () => {
    const { run, called } = await start({ ROSTRUM_TASK_TIMEOUT_MS: '500' })
    const first = run('graphql("x"); "a".repeat(2 ** 24).lastIndexOf("a".repeat(2 ** 23) + "b")')
    await called
    const begun = performance.now()
    await expect(run('exit(1)')).rejects.toMatchObject({ code: 'OVERLOADED', retryAfterSeconds: 1 })
    expect(performance.now() - begun).toBeLessThan(900)
    expect(wordOf(await first)).toBe('TIMEOUT')
  })
})
