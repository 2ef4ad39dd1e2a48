import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer({
    ROSTRUM_TASK_MEMORY_MB: '32',
    ROSTRUM_TASK_CPU_MS: '5000',
    // On a busy machine runs and new sandboxes take their time; what counts here is who is hurt.
    ROSTRUM_TASK_TIMEOUT_MS: '60000',
    ROSTRUM_QUEUE_WAIT_MS: '60000',
  })
})
afterAll(() => server.stop())

const bombs: [string, string][] = [
  ['objects', 'const all = []; for (;;) all.push({ x: [1, 2, 3] })'],
  ['texts', 'const all = []; for (let i = 0; ; i++) all.push(String(i).repeat(1000))'],
  ['buffers', 'const all = []; for (;;) all.push(new Uint8Array(1e6).fill(1))'],
  ['a doubling text', 'let s = "x"; for (;;) { s += s; s.charCodeAt(5) }'],
  ['a filled array', 'exit(Array(2e8).fill(0).length)'],
]

test.each(bombs)('a run that fills its memory with %s ends in MEMORY, logs kept', async (name, bomb) => {
  const answer = await server.execute(`log('before', ${JSON.stringify(name)}); ${bomb}`)
  const run = answer.body.task_execution
  expect(answer.status).toBe(422)
  expect(run.outcome).toBe('error')
  // The engine itself refuses a text past its own greatest length, with a RangeError.
  if (name === 'a doubling text') expect(['MEMORY', 'RUNTIME']).toContain(run.error?.code)
  else expect(run.error?.code).toBe('MEMORY')
  expect(run.logs.map(entry => entry.data)).toEqual([['before', name]])
  expect((await server.execute('exit("next")')).body.task_execution.payload).toBe('next')
})

test('a script that kills its process costs its own run only, and its logs are in the answer', async () => {
  const crash = server.execute('log("before"); "x".repeat(2 ** 28).split(""); exit(1)')
  const neighbours = await Promise.all(
    Array.from({ length: 4 }, () =>
      server.execute('let n = 0; for (let i = 0; i < 1e6; i++) n += i; exit(n)'),
    ),
  )
  const run = (await crash).body.task_execution
  expect(run.outcome).toBe('error')
  expect(['CRASHED', 'MEMORY']).toContain(run.error?.code)
  expect(run.logs.map(entry => entry.data)).toEqual([['before']])
  expect(neighbours.map(answer => answer.status)).toEqual([200, 200, 200, 200])
})

test('a run within its memory is left alone', async () => {
  const answer = await server.execute('exit(Array.from({ length: 1e5 }, (_, i) => ({ i })).length)')
  expect(answer.body.task_execution.payload).toBe(1e5)
})
