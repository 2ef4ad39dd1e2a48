import { beforeAll, describe, expect, test } from 'vitest'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

const guidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

async function run<P = unknown>(sourceCode: string) {
  return (await server.execute<P>(sourceCode)).body.task_execution
}

describe('log', () => {
  const dataOf = async (sourceCode: string) =>
    (await run(`${sourceCode}; exit(1)`)).logs.map(entry => [entry.level, ...entry.data])

  test('takes any number of arguments of any kind JSON has', async () => {
    expect(await dataOf('log("total", 6, null, true, [1, { a: 2 }], { b: [] }); log("one"); log()')).toEqual([
      ['info', 'total', 6, null, true, [1, { a: 2 }], { b: [] }],
      ['info', 'one'],
      ['info'],
    ])
  })

  test('keeps the values of the moment of the call', async () => {
    expect(await dataOf('const a = { n: 1 }; log(a); a.n = 2; log(a)')).toEqual([
      ['info', { n: 1 }],
      ['info', { n: 2 }],
    ])
  })

  test('never fails a run, whatever it is given', async () => {
    const sourceCode = `const loop = {}; loop.loop = loop
      log(undefined); log(() => 1); log(5n); log(loop); log(Symbol('s')); log(new Error('broken'))
      log({ get x() { throw new Error('no') } }); log({ toJSON() { throw null } }); log(new Proxy({}, {}))
      exit('still here')`
    const { payload, logs } = await run(sourceCode)
    expect(payload).toBe('still here')
    expect(logs).toHaveLength(9)
    expect(JSON.stringify(logs)).toContain('broken')
  })

  test('is what console writes to, each method at its level', async () => {
    const calls = ['log', 'info', 'warn', 'error', 'debug'].map(name => `console.${name}("${name}", 1)`)
    expect(await dataOf(calls.join(';'))).toEqual([
      ['info', 'log', 1],
      ['info', 'info', 1],
      ['warn', 'warn', 1],
      ['error', 'error', 1],
      ['debug', 'debug', 1],
    ])
  })

  test('entries are in the order of their calls, with times that do not go back', async () => {
    const { logs } = await run('for (let i = 0; i < 50; i++) { log(i); await null } exit(1)')
    expect(logs.map(entry => entry.data[0])).toEqual(Array.from({ length: 50 }, (_, index) => index))
    expect(logs.map(entry => entry.at)).toEqual(logs.map(entry => entry.at).toSorted())
  })
})

describe('generateGuid', () => {
  test('gives a new version 4 GUID each time', async () => {
    const { payload } = await run<string[]>('exit(Array.from({ length: 500 }, () => generateGuid()))')
    expect(payload.every(guid => guidV4.test(guid))).toBe(true)
    expect(new Set(payload).size).toBe(500)
  })

  test('never repeats from run to run', async () => {
    const runs = await Promise.all(Array.from({ length: 8 }, () => run<string>('exit(generateGuid())')))
    expect(new Set(runs.map(each => each.payload)).size).toBe(8)
  })
})

describe('requestContext', () => {
  test('is txnID and txnSource, as in the options and in the answer', async () => {
    const answer = await run('exit([requestContext(), options.requestContext])')
    expect(answer.payload).toEqual([answer.request_context, answer.request_context])
    expect(Object.keys(answer.request_context).toSorted()).toEqual(['txnID', 'txnSource'])
  })
})

describe('the language', () => {
  test('has top-level await', async () => {
    expect(
      (await run('const a = await Promise.resolve(20); exit(a + (await (async () => 22)()))')).payload,
    ).toBe(42)
  })

  test('has what ECMAScript has', async () => {
    const sourceCode = `class A { #x = 1; get x() { return this.#x } }
      const sorted = [3, 1, 2].toSorted()
      const { a, ...rest } = { a: 1, b: 2, c: 3 }
      exit([new A().x, sorted, rest, [...'ab'].map(c => c.codePointAt(0)), 2 ** 10, new Set([1, 1]).size,
        'x'.padStart(3, '-'), Math.max(1, 2), JSON.stringify({ a }), new Date(0).getTime(),
          /(?<y>\\d+)/.exec('42').groups.y])`
    expect((await run(sourceCode)).payload).toEqual([
      1,
      [1, 2, 3],
      { b: 2, c: 3 },
      [97, 98],
      1024,
      1,
      '--x',
      2,
      '{"a":1}',
      0,
      '42',
    ])
  })

  const absent =
    `require module exports process global Buffer fetch XMLHttpRequest WebSocket setTimeout setInterval setImmediate
    queueMicrotask Worker Deno Bun __dirname __filename`.split(/\s+/)

  test.each(absent)('has no %s', async name => {
    expect((await run(`exit(typeof ${name})`)).payload).toBe('undefined')
  })

  test('has no import', async () => {
    expect((await run('exit(await import("node:fs").then(() => "loaded", () => "rejected"))')).payload).toBe(
      'rejected',
    )
  })

  test('shows nothing of the gateway in the text of its functions', async () => {
    const sourceCode = `const own = [exit, fail, log, requestContext, generateGuid, graphql, console.log,
        Platform.users.get, Platform.tasks.execute]
      exit(own.map(each => Function.prototype.toString.call(each)))`
    for (const text of (await run<string[]>(sourceCode)).payload) {
      expect(text.length).toBeLessThan(80)
      expect(text).not.toMatch(/=>|await|post|new /)
    }
  })

  test('reaches no process through constructors of any kind', async () => {
    const sourceCode = `const look = 'return typeof process + typeof require'
      const makers = [Function, (async () => {}).constructor, exit.constructor, graphql.constructor, log.constructor,
        ({}).constructor.constructor, options.constructor.constructor, Platform.constructor.constructor]
      exit(await Promise.all(makers.map(maker => maker(look)())))`
    expect(new Set((await run<string[]>(sourceCode)).payload)).toEqual(new Set(['undefinedundefined']))
  })
})

describe('a run', () => {
  test('finds nothing of the run before it', async () => {
    const soil = `globalThis.left = 'A'; Array.prototype.left = 'A'; Object.prototype.left = 'A'
      JSON.stringify = () => '"A"'; Promise.prototype.then = () => { throw 1 }; exit(1)`
    for (let i = 0; i < 3; i += 1) await run(soil)
    const { payload } = await run(
      'exit([typeof globalThis.left, typeof [].left, await Promise.resolve("ok")])',
    )
    expect(payload).toEqual(['undefined', 'undefined', 'ok'])
  })

  test('still ends rightly when it has broken its own built-ins', async () => {
    const soil = `Promise.prototype.then = () => { throw 1 }; JSON.stringify = () => '{"forged":1}'
      JSON.parse = () => ({ forged: 1 }); Array.prototype.push = () => { throw 1 };
        Map.prototype.get = () => { throw 1 }
      log('kept'); exit({ real: 1 })`
    const { payload, logs } = await run(soil)
    expect(payload).toEqual({ real: 1 })
    expect(logs.map(entry => entry.data)).toEqual([['kept']])
  })
})
