import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTasks, type TestTasks, wordOf } from './start-tasks.ts'

// As large as an answer may be, and twice as long once it is written into a message.
const large = '"'.repeat(950_000)
let tasks: TestTasks

beforeAll(async () => {
  tasks = await startTasks({ ROSTRUM_TASK_CPU_MS: '20000' }, async () => ({
    status: 200,
    body: { data: large },
  }))
})
afterAll(() => tasks.runner.close())

describe('answers of the greatest length', () => {
  test('reach the script one after another', async () => {
    const sourceCode =
      'let n = 0; for (let i = 0; i < 20; i++) n += (await graphql("q")).data.length; exit(n)'
    expect((await tasks.run(sourceCode)).payload).toBe(20 * large.length)
  })

  // Answers could be sent faster than the sandbox reads them: a call makes room only once its answer is taken.
  test('reach the script, however many it asks for at once', async () => {
    const sourceCode = `let n = 0
      await Promise.all(Array.from({ length: 30 }, () => graphql('q').then(({ data }) => { n += data.length })))
      exit(n)`
    const execution = await tasks.run(sourceCode)
    expect([wordOf(execution), execution.payload]).toEqual(['exit', 30 * large.length])
  })
})
