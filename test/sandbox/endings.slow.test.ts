import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logged, startTasks, type TestTasks, wordOf } from '../scripts/run/start-tasks.ts'

// Each script calls exit('first'). What it tries afterwards must have no effect: no log, no call, no other ending.
const endings: [place: string, script: string][] = [
  ['a statement', "exit('first'); log('late'); fail('second')"],
  ['a loop that catches', "for (;;) { try { exit('first') } catch { log('late') } }"],
  ['try and finally', "try { exit('first') } finally { log('late'); graphql('late'); fail('second') }"],
  [
    'a finally that returns',
    "(() => { try { exit('first') } finally { return 1 } })(); log('late'); fail('second')",
  ],
  ['toJSON of the result itself', "exit({ toJSON() { exit('first'); log('late'); return 'second' } })"],
  ['toJSON of a log argument', "log({ toJSON() { exit('first') } }); log('late')"],
  [
    'toJSON of variables',
    "await graphql('late', { toJSON() { exit('first'); return {} } }).catch(() => {}); log('late')",
  ],
  ['toString of a failure', "fail({ toString() { exit('first'); return 'second' } })"],
  [
    'the message of a thrown value',
    "throw Object.defineProperty(new Error(), 'message', { get() { exit('first') } })",
  ],
  [
    'the stack of a thrown value',
    "throw Object.defineProperty(new Error('x'), 'stack', { get() { exit('first') } })",
  ],
  ['a getter', "({ get x() { exit('first'); log('late') } }).x; log('late')"],
  ['a setter', "({ set x(v) { exit('first') } }).x = 1; log('late')"],
  ['a proxy', "'x' in new Proxy({}, { has() { exit('first'); log('late') } }); log('late')"],
  ['a sort comparator', "[3, 2, 1].sort(() => { exit('first') }); log('late')"],
  ['a replacement', "'abc'.replace(/b/, () => { exit('first') }); log('late')"],
  ['a reviver', "JSON.parse('[1]', () => { exit('first') }); log('late')"],
  ['a conversion', "+{ [Symbol.toPrimitive]() { exit('first') } }; log('late')"],
  [
    'an iterator',
    "for (const x of { *[Symbol.iterator]() { try { exit('first') } finally { log('late') } } }) log('late')",
  ],
  [
    'an async iterator',
    'for await (const x of { async *[Symbol.asyncIterator]() ' +
      "{ try { exit('first') } finally { log('late') } } }) log('late')",
  ],
  ['disposal', "{ using x = { [Symbol.dispose]() { exit('first'); log('late') } } } log('late')"],
  ['async disposal', "{ await using x = { async [Symbol.asyncDispose]() { exit('first') } } } log('late')"],
  ['a constructor', "class A { constructor() { exit('first') } } try { new A() } finally { log('late') }"],
  ['a static block', "class A { static { exit('first') } } log('late')"],
  ['a default parameter', "((x = exit('first')) => log('late'))()"],
  ['a tagged text', "(() => { exit('first') })`text`; log('late')"],
  ['a promise executor', "new Promise(() => { exit('first') }).catch(() => log('late')); log('late')"],
  [
    'a then',
    "Promise.resolve().then(() => { exit('first') }).finally(() => log('late')); await null; await null; log('late')",
  ],
  ['a thenable', "await Object.defineProperty({}, 'then', { value: () => { exit('first') } }); log('late')"],
  [
    'the continuation of a call',
    "graphql('q').then(() => { exit('first') }).catch(() => log('late')); await graphql('q'); log('late')",
  ],
  ['code made of text', "Function(\"exit('first'); log('late')\")(); log('late')"],
  [
    'an array of promises',
    "await Promise.all([1, 2, 3].map(async n => { await null; exit('first'); log(n) }))",
  ],
  [
    'a deep recursion',
    "const dive = n => { if (n === 0) exit('first'); try { dive(n - 1) } finally { log('late') } }; dive(500)",
  ],
  ['an unhandled rejection before', "Promise.reject(new Error('late')); await null; exit('first')"],
  ['an error after', "try { exit('first') } finally { throw new Error('late') }"],
  ['a microtask of before', "Promise.resolve().then(() => { log('late'); graphql('late') }); exit('first')"],
  ['a call of before', "graphql('q').then(() => log('late')); exit('first')"],
]

describe.each([
  ['an isolate of its own', {}],
  ['an isolate that its account keeps', { ROSTRUM_ISOLATION: 'account' }],
  ['an isolate with compilers', { ROSTRUM_JIT: '1' }],
  ['an isolate with compilers that its account keeps', { ROSTRUM_JIT: '1', ROSTRUM_ISOLATION: 'account' }],
])('in %s, exit ends the run at that statement', (_, settings: Record<string, string>) => {
  let tasks: TestTasks
  let pids: number[]
  const late: string[] = []

  beforeAll(async () => {
    tasks = await startTasks({ ROSTRUM_TASK_TIMEOUT_MS: '5000', ...settings }, async ({ query }) => {
      if (query === 'late') late.push(query)
      return { status: 200, body: {} }
    })
    pids = tasks.runner.pids()
  })
  afterAll(() => tasks.runner.close())

  test.each(endings)('in %s', async (_, script) => {
    const execution = await tasks.run(`log('before'); ${script}`)
    expect([wordOf(execution), execution.payload, execution.message]).toEqual(['exit', 'first', null])
    expect(logged(execution)).toEqual([['before']])
    expect(late).toEqual([])
    expect((await tasks.run('exit(typeof late)')).payload).toBe('undefined')
  })

  // A message after the end of its run would have killed the sandbox.
  test('and the sandbox sends nothing more', () => {
    expect(tasks.runner.pids()).toEqual(pids)
  })

  // On a busy machine the gateway may replace a sandbox that takes 2 s to recover, but not after most runs.
  test('after a stack overflow, at the first level with enough stack', async () => {
    const dive = 'function dive() { try { dive() } finally { exit(1) } } dive()'
    const seen = new Set(pids)
    for (let n = 0; n < 40; n++) {
      await tasks.run('exit(2)')
      const { outcome, payload } = await tasks.run(dive)
      expect({ outcome, payload }).toEqual({ outcome: 'exit', payload: 1 })
      for (const pid of tasks.runner.pids()) seen.add(pid)
    }
    expect(seen.size).toBeLessThan(20)
  })

  test('and so do fail and an uncaught error', async () => {
    for (const script of [
      "try { fail('first') } finally { exit('second') }",
      "fail({ toString() { fail('first') } })",
    ]) {
      const { outcome, message, payload } = await tasks.run(script)
      expect([outcome, message, payload]).toEqual(['fail', 'first', null])
    }
    const { error } = await tasks.run("graphql('q').then(() => exit('second')); throw new Error('first')")
    expect(error).toMatchObject({ code: 'RUNTIME', message: 'Error: first' })
  })
})

describe('the size of an ending', () => {
  let tasks: TestTasks

  beforeAll(async () => {
    tasks = await startTasks({ ROSTRUM_TASK_RESULT_BYTES: '100000', ROSTRUM_TASK_CPU_MS: '5000' })
  })
  afterAll(() => tasks.runner.close())

  // JSON writes a text in quotes: two bytes more.
  const texts: [string, string, number][] = [
    ['plain letters', 'x', 1],
    ['quotes', '\\"', 2],
    ['backslashes', '\\\\', 2],
    ['control characters', '\\u0001', 6],
    ['two-byte letters', 'ä', 2],
    ['three-byte letters', '€', 3],
    ['four-byte letters', '𝄞', 4],
    ['separators', '\\u2028', 3],
  ]

  test.each(texts)(
    'is in bytes of JSON for a message of %s, which arrives word for word',
    async (_, text, bytes) => {
      const most = Math.floor(99_998 / bytes)
      const { outcome, message } = await tasks.run(`fail('${text}'.repeat(${most}))`)
      expect(outcome).toBe('fail')
      expect(message).toBe(JSON.parse(`"${text}"`).repeat(most))
      const over = await tasks.run(`fail('${text}'.repeat(${most + 1}))`)
      expect(over.error).toMatchObject({ code: 'LIMIT', message: expect.stringContaining('100000 bytes') })
    },
  )

  test.each([
    ['plain letters', 'x', 1],
    ['quotes', '\\"', 2],
    ['control characters', '\\u0001', 6],
    ['three-byte letters', '€', 3],
    ['four-byte letters', '𝄞', 4],
    ['halves of letters', '\\ud834', 6],
  ])('is in bytes of JSON for a result of %s', async (_, text, bytes) => {
    const most = Math.floor(99_998 / bytes)
    const { outcome, payload } = await tasks.run(`exit('${text}'.repeat(${most}))`)
    expect([outcome, (payload as string).length]).toEqual(['exit', JSON.parse(`"${text}"`).length * most])
    expect(wordOf(await tasks.run(`exit('${text}'.repeat(${most + 1}))`))).toBe('LIMIT')
  })

  test('far past the limit is LIMIT as well', async () => {
    for (const script of [
      "exit('€'.repeat(5e6))",
      "fail('\\u0001'.repeat(5e6))",
      "exit(Array(1e6).fill('€'))",
    ]) {
      expect([script, wordOf(await tasks.run(script))]).toEqual([script, 'LIMIT'])
    }
  })

  test('does not matter for what JSON cannot carry: RESULT names the path', async () => {
    const { error } = await tasks.run("exit({ 'a b': [{ c: 1n }] })")
    expect(error?.code).toBe('RESULT')
    expect(error?.message).toContain('`$["a b"][0].c`')
  })

  test('is limited to a thousand levels', async () => {
    const nest = (levels: number) => `let a = 0; for (let i = 0; i < ${levels}; i++) a = [a]; exit(a)`
    expect(wordOf(await tasks.run(nest(1_000)))).toBe('exit')
    expect(wordOf(await tasks.run(nest(1_001)))).toBe('RESULT')
    expect(wordOf(await tasks.run(nest(200_000)))).toBe('RESULT')
  })
})
