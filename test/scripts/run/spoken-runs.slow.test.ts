import { afterEach, describe, expect, test } from 'vitest'
import { findSurvivors } from '../../server/processes/child-processes.ts'
import {
  type Chunk,
  callLine,
  exitLine,
  line,
  logLine,
  ready,
  type SpokenTasks,
  startSpokenTasks,
} from './spoken-tasks.ts'
import { logged, wordOf } from './start-tasks.ts'

const pools: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
})

function start(parts: SpokenTasks) {
  const tasks = startSpokenTasks(parts)
  pools.push(tasks.pool)
  return tasks
}

const errorLine = (code: string, message = 'm') =>
  line({
    type: 'end',
    run: '<run>',
    ending: { kind: 'error', error: { code, message, line: null, column: null, stack: null } },
  })

describe('a compromised sandbox affects only its own run', () => {
  const worsts: [string, Chunk[]][] = [
    ['speaks of another run', [logLine('["before"]'), logLine('["forged"]', 'other')]],
    ['ends another run', [logLine('["before"]'), exitLine('other')]],
    ['says ready in the middle', [logLine('["before"]'), ready]],
    ['calls with a number twice', [logLine('["before"]'), callLine(1), callLine(1)]],
    ['leaves a number out', [logLine('["before"]'), callLine(2)]],
    [
      'calls more often than it may',
      [logLine('["before"]'), callLine(1), callLine(2), callLine(3), callLine(4)],
    ],
    ['logs what is no array', [logLine('["before"]'), logLine('{}')]],
    ['calls with variables that are no JSON', [logLine('["before"]'), callLine(1).replace('{}', '{')]],
    ['calls with variables that are no object', [logLine('["before"]'), callLine(1).replace('{}', '[]')]],
    ['says nonsense', [logLine('["before"]'), 'nonsense\n']],
    ['sends a line without end', [logLine('["before"]'), ['x'.repeat(10_000), 200]]],
  ]

  test.each(worsts)('and is killed when it %s', async (_, onRun) => {
    const { run, pool } = start({ speech: { onRun }, settings: { ROSTRUM_TASK_GRAPHQL_CALLS: '3' } })
    const [pid = 0] = pool.pids
    const execution = await run()
    expect(wordOf(execution)).toBe('CRASHED')
    expect(logged(execution)).toEqual([['before']])
    expect(await findSurvivors([pid])).toEqual([])
  })

  test('with any number of log lines', async () => {
    const data = JSON.stringify(['x'.repeat(2_000)])
    const { run } = start({
      speech: { onRun: [[logLine(data), 100_000]] },
      settings: { ROSTRUM_TASK_LOG_BYTES: '10000', ROSTRUM_TASK_LOG_ENTRIES: '50' },
    })
    const execution = await run()
    expect(wordOf(execution)).toBe('CRASHED')
    expect(execution.logs).toHaveLength(5)
    expect(String(execution.logs.at(-1)?.data[0])).toContain('The log was cut: 10 more entries')
  })

  test('and its calls end with it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { run } = start({
      speech: { onRun: [callLine(1), 'nonsense\n'] },
      answerCall({ run: { signal } }) {
        signal.addEventListener('abort', () => resolve())
        return new Promise(() => undefined)
      },
    })
    expect(wordOf(await run())).toBe('CRASHED')
    await promise
  })
})

describe('the gateway checks the ending that a sandbox reports', () => {
  test.each([
    ['a result that is not JSON', exitLine('<run>', '{'), 'CRASHED'],
    ['an empty result', exitLine('<run>', ''), 'CRASHED'],
    [
      'a result too deep to be written',
      exitLine('<run>', '['.repeat(20_000) + ']'.repeat(20_000)),
      'CRASHED',
    ],
    ['a result past the limit', exitLine('<run>', JSON.stringify('x'.repeat(1_000))), 'LIMIT'],
    ['a result past the limit in bytes', exitLine('<run>', JSON.stringify('€'.repeat(400))), 'LIMIT'],
    [
      'a message past the limit',
      line({ type: 'end', run: '<run>', ending: { kind: 'fail', message: 'x'.repeat(1_001) } }),
      'LIMIT',
    ],
  ])('%s kills the sandbox', async (what, end, word) => {
    const { run, pool } = start({
      speech: { onRun: [end + ready] },
      settings: { ROSTRUM_TASK_RESULT_BYTES: what.includes('deep') ? '100000' : '1000' },
    })
    const [pid = 0] = pool.pids
    expect(wordOf(await run())).toBe(word)
    expect(await findSurvivors([pid])).toEqual([])
  })

  test('a payload with `__proto__` stays data', async () => {
    const payload = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    const { run } = start({ speech: { onRun: [exitLine('<run>', payload) + ready] } })
    const execution = await run()
    expect(JSON.stringify(execution.payload)).toBe(payload)
    expect(Reflect.get({}, 'polluted')).toBe(undefined)
  })
})

test.each(['TIMEOUT', 'MEMORY'])('a sandbox is not reused after %s', async code => {
  const { run, pool } = start({ speech: { onRun: [errorLine(code) + ready] } })
  const first = run()
  const [pid = 0] = pool.pids
  expect(wordOf(await first)).toBe(code)
  expect(await findSurvivors([pid])).toEqual([])
})

test.each(['RUNTIME', 'SYNTAX', 'NO_OUTCOME', 'RESULT', 'LIMIT'])(
  'a sandbox is reused after %s',
  async code => {
    const { run, pool } = start({ speech: { onRun: [errorLine(code) + ready] } })
    const first = run()
    const { pids } = pool
    expect([wordOf(await first), wordOf(await run()), wordOf(await run())]).toEqual([code, code, code])
    expect(pool.pids).toEqual(pids)
  },
)

test('a late message of one run does not affect the next run', async () => {
  const { run } = start({
    speech: { onRun: [{ wait: 60 }, exitLine() + ready, { wait: 30 }, logLine('["late"]')] },
  })
  const first = run('a')
  const second = run('b')
  expect([wordOf(await first), wordOf(await second)]).toEqual(['exit', 'exit'])
  expect((await second).logs).toEqual([])
})

test('a sandbox that sends `ready` twice is never given to two runs', async () => {
  const { run } = start({
    speech: { onRun: [exitLine() + ready + ready] },
  })
  const executions = await Promise.all(['a', 'b', 'c', 'd'].map(account => run(account)))
  for (const execution of executions) expect(['exit', 'CRASHED']).toContain(wordOf(execution))
})

test('a sandbox that does not become ready after its run is replaced, and the next run goes elsewhere', async () => {
  const { run, pool } = start({
    speech: { onRun: [exitLine()], reads: false },
  })
  const [pid = 0] = pool.pids
  expect(wordOf(await run())).toBe('exit')
  expect(wordOf(await run())).toBe('exit')
  expect(pool.pids).not.toContain(pid)
})

test('a child that does not read its answers does not fill the memory of the gateway', async () => {
  // As many calls as it may have at once: the gateway holds their answers and no others.
  const calls = Array.from({ length: 10 }, (_, n) => callLine(n + 1))
  const { run } = start({
    speech: { reads: false, onRun: calls },
    settings: { ROSTRUM_TASK_GRAPHQL_AT_ONCE: '10' },
    answerCall: async () => JSON.stringify('x'.repeat(500_000)),
  })
  expect((await run()).error).toMatchObject({
    code: 'CRASHED',
    message: 'The sandbox did not read its input',
  })
})

test('a child with too many concurrent calls is killed, and the gateway queues no more of them', async () => {
  const made: string[] = []
  const { run } = start({
    speech: { onRun: Array.from({ length: 5 }, (_, n) => callLine(n + 1)) },
    settings: { ROSTRUM_TASK_GRAPHQL_AT_ONCE: '2' },
    answerCall: ({ query }) => {
      made.push(query)
      return new Promise(() => undefined)
    },
  })
  const execution = await run()
  expect(execution.error?.message).toBe('The sandbox made too many `graphql` calls at once')
  expect(made).toHaveLength(2)
})
