import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTasks, type TestTasks, wordOf } from '../scripts/run/start-tasks.ts'

let tasks: TestTasks

beforeAll(async () => {
  tasks = await startTasks()
})
afterAll(() => tasks.runner.close())

async function payloadOf(sourceCode: string): Promise<unknown> {
  const execution = await tasks.run(sourceCode)
  expect([wordOf(execution), execution.error]).toEqual(['exit', null])
  return execution.payload
}

describe('a stack', () => {
  const realm = /rostrum|realm|isolated|node:|anonymous|\bat (exit|fail|log|graphql|write|start)\b/

  test.each([
    ['of an error inside a result', "exit({ toJSON() { return new Error('x').stack } })"],
    [
      'of an error inside a log argument',
      "let stack; log({ toJSON() { stack = new Error('x').stack } }); exit(stack)",
    ],
    [
      'of an error inside variables',
      "let stack; graphql('q', { toJSON() { stack = new Error('x').stack; return {} } }); exit(stack)",
    ],
    ['of an error that graphql made', 'exit(await graphql(7).catch(e => e.stack))'],
    ['of an overflow', 'const dive = () => dive(); try { dive() } catch (e) { exit(e.stack) }'],
    [
      'without our preparation',
      "delete Error.prepareStackTrace; exit({ toJSON() { return new Error('x').stack } })",
    ],
    [
      'with another preparation',
      "Error.prepareStackTrace = undefined; exit({ toJSON() { return new Error('x').stack } })",
    ],
    [
      'captured for an object',
      'const o = {}; exit({ toJSON() { Error.captureStackTrace(o); return o.stack } })',
    ],
    ['in code made of text', "exit(Function('return new Error(1).stack')())"],
    ['of a static field', "class A { static a = new Error('x').stack }; exit(A.a)"],
    ['of a static block', "class A { static { exit(new Error('x').stack) } }"],
  ])('%s holds only frames of the script', async (_, sourceCode) => {
    const stack = await payloadOf(sourceCode)
    expect(stack).toMatch(/\n {4}at /)
    expect(stack).not.toMatch(realm)
    for (const frame of String(stack).split('\n').slice(1))
      expect(frame).toMatch(/^ {4}at .*task\.js:\d+:\d+\)?$/)
  })

  test('of call sites gives no function and no internal object', async () => {
    const sourceCode = `try { Error.prepareStackTrace = (e, sites) =>
      sites.map(site => [typeof site.getFunction(), typeof site.getThis()]) } catch {}
      exit({ toJSON() { return new Error('x').stack } })`
    const sites = await payloadOf(sourceCode)
    if (Array.isArray(sites))
      for (const site of sites.slice(1)) expect(site).toEqual(['undefined', 'undefined'])
    else expect(sites).toEqual(expect.any(String))
  })

  test.each([
    'task.js:55:55',
    'x (task.js:55:55)',
    'x\\n    at task.js:55:55',
    'x (task.js:55:55)\\r',
    'x (task.js:55:55)\\u2028',
  ])('does not take its place from the function name %s', async name => {
    const forged = `const o = { ["${name}"]() { throw new Error("m") } };`
    const { error } = await tasks.run(`\n${forged} o["${name}"]()`)
    expect(error).toMatchObject({ line: 2, column: forged.indexOf('new') + 1 })
    const rejection = await tasks.run(`\n${forged} new Promise(() => o["${name}"]())`)
    expect(rejection.error).toMatchObject({ line: 2, column: forged.indexOf('new') + 1 })
  })

  test.each([
    ['one line', "'boom at task.js:77:7'"],
    ['lines unlike frames', "'boom\\ntask.js:77:7\\nmore'"],
    ['a line before one like a frame', "'boom\\nmore\\n    at task.js:77:7'"],
    ['a last line like a frame', "'boom\\n    at task.js:77:7'"],
    ['a stack in it', "'boom: ' + new Error('inner').stack + '\\nmore'"],
    ['a part of its class name', "'r'"],
    ['no character', "''"],
    ['nothing before its lines', "'\\n    at f (task.js:77:7)\\n    at task.js:78:8'"],
    ['one long line', "'task.js:77:7 '.repeat(1000)"],
  ])('of a rejection does not take its place from a message with %s', async (_, message) => {
    const rejecting = `\n  Promise.reject(new Error(message))`
    const { error } = await tasks.run(`const message = ${message}${rejecting}`)
    expect(error).toMatchObject({ code: 'RUNTIME', line: 2, column: rejecting.indexOf('new') })
  })

  test('has no place outside of the script', async () => {
    const { error } = await tasks.run('class A extends 5 {}')
    expect(error).toMatchObject({ code: 'RUNTIME', line: null, column: null, stack: null })
    expect(error?.message).toContain('Class extends value')
  })

  test('of a rejection does not take its place from a long message', async () => {
    const forged = "Promise.reject(new Error('boom' + '\\n    at task.js:77:7'.repeat(600)))"
    const { error } = await tasks.run(forged)
    expect(error).toMatchObject({ code: 'RUNTIME', line: null, column: null })
  })

  test('gives no access to a caller', async () => {
    const sourceCode = `const callers = []
      function look() { callers.push(String(look.caller), String(look.arguments?.callee?.caller)); return 1 }
      log({ toJSON: look }); graphql('q', { toJSON: look }); [1, 2].sort(look)
      exit({ toJSON: function last() { return [...callers, String(last.caller)] } })`
    expect(new Set((await payloadOf(sourceCode)) as string[])).toEqual(new Set(['null']))
  })

  test('works with a deep or a wide message', async () => {
    const { error } = await tasks.run("throw new Error('m'.repeat(1e6))")
    expect(error?.message.length).toBeLessThan(10_000)
    expect(error?.message).toContain('characters in all')
    expect(error?.line).toBe(1)
  })
})

describe('any thrown value is described', () => {
  test.each([
    ['null', 'null'],
    ['undefined', 'undefined'],
    ["''", ''],
    ['7n', '7'],
    ["Symbol('s')", 'Symbol(s)'],
    ['{ a: 1, f() {} }', '{"a":1}'],
    ['Object.create(null)', '{}'],
    ["Object.assign(new Error('m'), { name: 'Mine' })", 'Mine: m'],
    ["Object.create(Error.prototype, { message: { value: 'm' } })", 'Error: m'],
    [
      'new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 } })',
      'A value was thrown that cannot be described',
    ],
    ['{ toJSON() { throw 1 } }', 'A value was thrown that cannot be described'],
    ['(() => { const a = {}; a.a = a; return a })()', 'A value was thrown that cannot be described'],
    ["{ then() { throw 1 }, message: 'm', stack: 'task.js:1:1' }", '{"message":"m","stack":"task.js:1:1"}'],
  ])('%s', async (thrown, message) => {
    for (const sourceCode of [`throw ${thrown}`, `await null; throw ${thrown}`]) {
      const { outcome, error } = await tasks.run(sourceCode)
      expect([outcome, error?.code, error?.message]).toEqual(['error', 'RUNTIME', message])
    }
  })
})

test('no source text escapes from the script', async () => {
  const escapes = [
    "}); exit('out'); (async function () {",
    "}\nexit('out')\n{",
    '/*',
    "*/ exit('out') /*",
    '`${',
    "'use strict'; with ({}) exit('out')",
    "-->\nexit('out'",
    "){ exit('out') }) //",
  ]
  for (const source of escapes) {
    expect([source, wordOf(await tasks.run(source))]).toEqual([source, 'SYNTAX'])
  }
  const named = await tasks.run("throw new Error('x')\n//# sourceURL=/etc/passwd")
  expect(named.error).toMatchObject({ line: 1, stack: expect.stringContaining('task.js:1:7') })
})

test.each([
  ['a message', "throw new Error('😀'.repeat(8_192))"],
  ['a message after one more unit', "throw new Error('a' + '😀'.repeat(8_192))"],
  [
    'the name of a function',
    "({ ['a' + '😀'.repeat(150)]() { throw new Error('x') } })['a' + '😀'.repeat(150)]()",
  ],
  ['an unhandled rejection', "Promise.reject(new Error('😀'.repeat(8_192))); await graphql('{ x }')"],
  ['one after one more unit', "Promise.reject(new Error('a' + '😀'.repeat(8_192))); await graphql('{ x }')"],
])('%s is not cut inside a character', async (_, sourceCode) => {
  const { error } = await tasks.run(sourceCode)
  expect(`${error?.message}${error?.stack ?? ''}`.isWellFormed()).toBe(true)
  expect(error?.code).toBe('RUNTIME')
})
