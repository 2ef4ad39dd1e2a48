import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTasks, type TestTasks, wordOf } from '../scripts/run/start-tasks.ts'

let tasks: TestTasks

beforeAll(async () => {
  tasks = await startTasks({}, async () => ({ status: 200, body: {} }))
})
afterAll(() => tasks.runner.close())

const ended = 'The script ended without calling `exit` or `fail`, and nothing is pending'
const rejected = 'async function f() { throw new Error("no user") }\nconst p = f()\n'

test.each([
  ['before the next call', 'p.catch(() => log("fine")); await graphql("q")', ended],
  [
    'after a call',
    'await graphql("q"); try { await p } catch { log("fine") }',
    `${ended}. Before, a promise without a handler was rejected at 1:28: no user`,
  ],
])('a rejection that is handled %s is no RUNTIME error', async (_, sourceCode, message) => {
  const execution = await tasks.run(rejected + sourceCode)
  expect(execution.error).toMatchObject({ code: 'NO_OUTCOME', message, line: null, column: null })
  expect(execution.logs.map(({ data }) => data)).toEqual([['fine']])
})

test.each([
  ['at the end of the script', rejected],
  ['after a call', `await graphql("q")\n${rejected}`],
])('a rejection without a handler %s is a RUNTIME error', async (_, sourceCode) => {
  const execution = await tasks.run(sourceCode)
  expect([wordOf(execution), execution.error?.message]).toEqual(['RUNTIME', 'Unhandled rejection: no user'])
})

test('a rejection with a value that is no error is named too', async () => {
  const { error } = await tasks.run('Promise.reject({}); await graphql("q")')
  expect(error?.message).toBe(
    `${ended}. Before, a promise without a handler was rejected with a value that is not an \`Error\``,
  )
})
