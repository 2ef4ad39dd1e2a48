import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTasks, type TestTasks, wordOf } from '../run/start-tasks.ts'

// The largest answer, which is twice as long inside a message.
const large = '"'.repeat(950_000)
let tasks: TestTasks

beforeAll(async () => {
  tasks = await startTasks({ ROSTRUM_TASK_CPU_MS: '20000' }, async () => ({
    status: 200,
    body: { data: large },
  }))
})
afterAll(() => tasks.runner.close())

describe('answers of the maximum length', () => {
  test('reach the script one after another', async () => {
    const sourceCode =
      'let n = 0; for (let i = 0; i < 20; i++) n += (await graphql("q")).data.length; exit(n)'
    expect((await tasks.run(sourceCode)).payload).toBe(20 * large.length)
  })

  // The gateway could write faster than the sandbox reads, so a call counts until its answer is read.
  test('reach the script, however many it requests at once', async () => {
    const sourceCode = `let n = 0
      await Promise.all(Array.from({ length: 30 }, () => graphql('q').then(({ data }) => { n += data.length })))
      exit(n)`
    const execution = await tasks.run(sourceCode)
    expect([wordOf(execution), execution.payload]).toEqual(['exit', 30 * large.length])
  })
})
