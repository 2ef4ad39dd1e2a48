import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Run } from '../../../src/domain/scripts/run.ts'
import { until } from '../../server/processes/until.ts'
import {
  logged,
  type ReadExecution,
  startTasks,
  type TestGraphql,
  type TestTasks,
  wordOf,
} from '../run/start-tasks.ts'

const started: TestTasks[] = []
let runs: Run[] = []
let nested: { run: Run; execution: Promise<ReadExecution> }[] = []
// Of the tests without settings of their own.
let shared: TestTasks

beforeAll(async () => {
  shared = await startTasksThatNest()
})
beforeEach(() => {
  runs = []
  nested = []
})
afterEach(async () => {
  for (const { runner } of started.splice(0)) await runner.close()
})
afterAll(() => shared.runner.close())

async function start(settings: Record<string, string>) {
  const tasks = await startTasksThatNest(settings)
  started.push(tasks)
  return tasks
}

// `graphql('run', {source})` starts a nested run, as the engine does for executeTask.
async function startTasksThatNest(settings: Record<string, string> = {}) {
  const answer: TestGraphql = async ({ query, variables, run }) => {
    runs.push(run)
    if (query === 'answer') return { status: 200, body: {} }
    if (query !== 'run') return new Promise(() => undefined)
    const { source, options = '{}' } = variables as { source: string; options?: string }
    const { accountCode } = run.caller
    const input = { name: 'inner', options }
    const execution = tasks.run(source, { account: accountCode, parentRun: run, signal: run.signal, input })
    nested.push({ run, execution })
    execution.catch(() => undefined)
    return { status: 200, body: await execution }
  }
  const tasks = await startTasks({ ROSTRUM_SANDBOXES: '4', ROSTRUM_WARM_SANDBOXES: '2', ...settings }, answer)
  return tasks
}

const source = (script: string) => JSON.stringify({ source: script })

describe('a nested run', () => {
  test('answers like any other, in the transaction of its parent', async () => {
    const { run } = shared
    const execution = await run(`exit(await graphql('run', ${source("log('in'); exit(requestContext())")}))`)
    const inner = execution.payload as ReadExecution
    expect(inner).toMatchObject({ name: 'inner', outcome: 'exit', payload: execution.requestContext })
    expect(inner.requestContext).toEqual(execution.requestContext)
    expect(inner.id).not.toBe(execution.id)
    expect([inner.logs.length, execution.logs.length]).toEqual([1, 0])
  })

  test('that fails does not fail its parent', async () => {
    const { run } = shared
    const execution = await run(`exit((await graphql('run', ${source("fail('inner')")})).outcome)`)
    expect(execution.payload).toBe('fail')
  })

  test('that crashes its process does not affect its parent', async () => {
    const { run } = shared
    const bomb = source("'x'.repeat(2 ** 28).split('')")
    const execution = await run(`log('outer'); exit((await graphql('run', ${bomb})).error.code)`)
    expect(['CRASHED', 'MEMORY']).toContain(execution.payload)
    expect(logged(execution)).toEqual([['outer']])
  })

  test('is limited in depth', async () => {
    const { run } = await start({ ROSTRUM_SANDBOXES: '8' })
    // Each level runs its own source one level deeper and reports the depth it reached.
    const sourceCode = `const own = options.params.own
      const below = await graphql('run', { source: own, options: JSON.stringify({ params: { own } }) })
        .then(inner => inner.payload, error => [error.message])
      exit(['level', ...below])`
    const options = JSON.stringify({ params: { own: sourceCode } })
    const execution = await run(sourceCode, { input: { options } })
    expect(execution.payload).toEqual([
      'level',
      'level',
      'level',
      'Runs inside runs may go 3 deep; this one would go deeper.',
    ])
  })

  test('is refused without waiting if no sandbox is free', async () => {
    const { run } = await start({ ROSTRUM_SANDBOXES: '1' })
    const execution = await run(`exit(await graphql('run', ${source('exit(1)')}).catch(e => e.message))`)
    expect(execution.payload).toBe('No sandbox is free for a run inside a run. Try again in 1 s.')
  })

  test('ends, and so do a hundred others at the same time', async () => {
    const { run } = await start({ ROSTRUM_QUEUE_ACCOUNT_RUNS: '200' })
    const sourceCode = `exit(await graphql('run', ${source('exit(1)')}).then(r => r.outcome, () => 'refused'))`
    const executions = await Promise.all(Array.from({ length: 100 }, () => run(sourceCode)))
    for (const { payload } of executions) expect(['exit', 'refused']).toContain(payload)
  })
})

describe('the time of a nested run', () => {
  test('is that of its parent', async () => {
    const { run } = shared
    await run(`await graphql('run', ${source("await graphql('answer'); exit(1)")}); exit(1)`)
    const [outer, inner] = runs
    expect([outer?.depth, inner?.depth]).toEqual([1, 2])
    expect(inner?.deadline).toBe(outer?.deadline)
  })

  test('ends with its parent, for any ending', async () => {
    const endings = ["exit('outer')", "fail('outer')", "throw new Error('outer')"]
    const { run, runner } = shared
    for (const ending of endings) {
      const sourceCode = `graphql('run', ${source("await graphql('hang')")})
        await graphql('run', ${source('exit(1)')}).catch(() => {})
        ${ending}`
      await run(sourceCode)
      const ends = await Promise.allSettled(nested.splice(0).map(({ execution }) => execution))
      // Not because its time is over.
      for (const end of ends) if (end.status === 'fulfilled') expect(wordOf(end.value)).not.toBe('TIMEOUT')
    }
    expect(runner.ready()).toBe(true)
  })

  test('ends when the caller of its parent disconnects', async () => {
    const { run } = await start({ ROSTRUM_TASK_CPU_MS: '60000' })
    const controller = new AbortController()
    const outer = run(`await graphql('run', ${source('for (;;);')})`, { signal: controller.signal })
    await until(() => nested.length > 0)
    controller.abort(new Error('disconnected'))
    expect(wordOf(await outer)).toBe('CRASHED')
    const [inner] = await Promise.allSettled(nested.map(({ execution }) => execution))
    if (inner?.status === 'fulfilled') expect(wordOf(inner.value)).toBe('CRASHED')
  })
})

describe('the token of a run', () => {
  test('works during the run, for its caller only, and not after its end', async () => {
    let during: unknown
    const tasks = await startTasks({}, async ({ variables }) => {
      during = tasks.runTokens.find(String(variables.token))
      return { status: 200, body: {} }
    })
    started.push(tasks)
    const read = "options.authorization.replace('Bearer ', '')"
    const execution = await tasks.run(`const token = ${read}; await graphql('x', { token }); exit(token)`)
    expect(during).toMatchObject({ id: execution.id, depth: 1, caller: { accountCode: 'alpha' } })
    expect(execution.payload).toMatch(/^rrun_/)
    expect(tasks.runTokens.find(String(execution.payload))).toBe(null)
  })

  test.each([
    ['an error', "log(options.authorization); throw new Error('x')"],
    ['a death', "log(options.authorization); 'x'.repeat(2 ** 28).split('')"],
    ['the end of its time', "log(options.authorization); await graphql('hang')"],
  ])('stops working after %s', async (_, sourceCode) => {
    const tasks = await startTasks({ ROSTRUM_TASK_TIMEOUT_MS: '3000' })
    started.push(tasks)
    const execution = await tasks.run(sourceCode)
    expect(execution.outcome).toBe('error')
    const token = String(logged(execution)[0]?.[0]).replace('Bearer ', '')
    expect(token).toMatch(/^rrun_/)
    expect(tasks.runTokens.find(token)).toBe(null)
  })
})
