import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logged, startTasks, type TestTasks, wordOf } from '../scripts/run/start-tasks.ts'

let tasks: TestTasks

beforeAll(async () => {
  tasks = await startTasks({
    ROSTRUM_TASK_LOG_ENTRIES: '10',
    ROSTRUM_TASK_LOG_BYTES: '1000',
    ROSTRUM_TASK_RESULT_BYTES: '500',
    ROSTRUM_BODY_BYTES: '2000',
  })
})
afterAll(() => tasks.runner.close())

const notice = (execution: Awaited<ReturnType<TestTasks['run']>>) => String(logged(execution).at(-1)?.[0])

describe('the log of a run', () => {
  test('with the maximum number of entries is complete', async () => {
    const execution = await tasks.run('for (let i = 0; i < 10; i++) log(i); exit(1)')
    expect(logged(execution)).toEqual(Array.from({ length: 10 }, (_, i) => [i]))
  })

  test('with one entry more ends with a warning that it was cut', async () => {
    const execution = await tasks.run('for (let i = 0; i < 11; i++) log(i); exit(1)')
    expect(execution.logs).toHaveLength(10)
    expect(logged(execution)[8]).toEqual([8])
    expect(execution.logs.at(-1)?.level).toBe('warn')
    expect(notice(execution)).toMatch(/^The log was cut: 2 more entries \(\d+ characters\)/)
    expect(execution.outcome).toBe('exit')
  })

  test.each([
    ['exit(1)', 'exit'],
    ["fail('x')", 'fail'],
    ["throw new Error('x')", 'RUNTIME'],
  ])('says exactly how much was cut when the run ends by %s', async (ending, word) => {
    const execution = await tasks.run(`for (let i = 0; i < 1000; i++) log(i); ${ending}`)
    expect(wordOf(execution)).toBe(word)
    expect(notice(execution)).toContain('The log was cut: 991 more entries')
  })

  test('says how much was cut at least when nothing ends the run', async () => {
    const execution = await tasks.run('for (let i = 0; i < 1000; i++) log(i); await null')
    expect(wordOf(execution)).toBe('NO_OUTCOME')
    expect(notice(execution)).toMatch(/^The log was cut: (at least \d{3}|991) more entries/)
  })

  test('says that it was cut when the sandbox dies', async () => {
    const execution = await tasks.run("for (let i = 0; i < 1000; i++) log(i); 'x'.repeat(2 ** 28).split('')")
    expect(['CRASHED', 'MEMORY']).toContain(wordOf(execution))
    expect(execution.logs).toHaveLength(10)
    expect(notice(execution)).toMatch(/^The log was cut: at least \d{3} more entries/)
  })

  test('keeps entries that fit after a larger one that did not', async () => {
    const execution = await tasks.run("log('a'); log('x'.repeat(5000)); log('b'); exit(1)")
    expect(logged(execution).slice(0, 2)).toEqual([['a'], ['b']])
    expect(notice(execution)).toContain('The log was cut: 1 more entries (5004 characters)')
  })

  test.each([
    ['plain letters', 'x', 996],
    ['quotes', '"', 498],
    ['three-byte letters', '€', 332],
    ['control characters', '\\u0001', 166],
  ])('is limited in bytes of JSON: of %s', async (_, text, most) => {
    const whole = await tasks.run(`log('${text}'.repeat(${most})); exit(1)`)
    expect([wordOf(whole), whole.logs.length, whole.logs[0]?.level]).toEqual(['exit', 1, 'info'])
    const cut = await tasks.run(`log('${text}'.repeat(${most + 1})); exit(1)`)
    expect([wordOf(cut), cut.logs.length]).toEqual(['exit', 1])
    expect(notice(cut)).toContain('The log was cut: 1 more entries')
  })

  test('with a huge entry does not end the run', async () => {
    for (const text of ["'x'.repeat(2e7)", "'\\u0001'.repeat(2e6)", 'Array(1e5).fill("€")']) {
      const execution = await tasks.run(`log('before'); log(${text}); log('after'); exit(1)`)
      expect([wordOf(execution), logged(execution).slice(0, 2)]).toEqual(['exit', [['before'], ['after']]])
    }
  })
})

test('log never throws, for any argument', async () => {
  const values = [
    'undefined',
    '5n',
    "Symbol('s')",
    '() => 1',
    'NaN',
    'new Error("broken")',
    'Object.create(null)',
    '(() => { const a = {}; a.a = a; return a })()',
    'new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 }, getPrototypeOf() { throw 3 } })',
    '{ toJSON() { throw null } }',
    '{ get x() { throw new Error("no") } }',
  ]
  for (const value of values) {
    const execution = await tasks.run(`log('a', ${value}, 'z'); exit('still here')`)
    expect(execution.payload).toBe('still here')
    const [first, , last] = logged(execution)[0] ?? []
    expect([value, first, last]).toEqual([value, 'a', 'z'])
  }
})

test('a `__proto__` in an entry stays data', async () => {
  const execution = await tasks.run(`log(JSON.parse('{"__proto__":{"polluted":1}}')); exit(1)`)
  expect(JSON.stringify(logged(execution))).toBe('[[{"__proto__":{"polluted":1}}]]')
  expect(Reflect.get({}, 'polluted')).toBe(undefined)
})
