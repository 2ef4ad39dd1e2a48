import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerOrHang, logged, startTasks, type TestTasks, wordOf } from '../scripts/run/start-tasks.ts'

let tasks: TestTasks
let asked: unknown[] = []

beforeAll(async () => {
  tasks = await startTasks({}, call => {
    asked.push([call.query, call.variables])
    return answerOrHang(call)
  })
})
afterAll(() => tasks.runner.close())

async function payloadOf(sourceCode: string): Promise<unknown> {
  const execution = await tasks.run(sourceCode)
  expect([wordOf(execution), execution.error]).toEqual(['exit', null])
  return execution.payload
}

// The globals of ECMAScript without WebAssembly, SharedArrayBuffer, Atomics, WeakRef and FinalizationRegistry.
const language =
  'AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean DataView Date ' +
  'DisposableStack Error EvalError Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array ' +
  'Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect ' +
  'RegExp Set ' +
  'String SuppressedError Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray ' +
  'WeakMap WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN ' +
  'parseFloat parseInt undefined unescape'
const api = 'Platform exit fail generateGuid graphql log options payload requestContext'

describe('the global object', () => {
  test('has the language and the promised globals, and nothing else', async () => {
    const expected = `${language} ${api}`.split(' ').toSorted()
    const keys =
      "Reflect.ownKeys(globalThis).map(key => typeof key === 'symbol' ? key.toString() : key).sort()"
    expect(await payloadOf(`exit(${keys})`)).toEqual(expected)
  })

  test('lacks only those globals of the language that the docs name', () => {
    const docs = readFileSync(new URL('../../docs/scripts.md', import.meta.url), 'utf8')
    const named = /but no ([^.]*)/.exec(docs)?.[1]?.match(/(?<=`)[A-Z]\w+/g)
    const own: string[] = runInNewContext('Object.getOwnPropertyNames(globalThis)')
    const known = `${language} console Temporal`.split(' ')
    expect(named).toEqual(own.filter(name => !known.includes(name)).toSorted())
  })

  test('inherits console, Temporal and the methods of all objects', async () => {
    const sourceCode = `const names = [typeof Temporal.Now.instant()]
      for (let o = Object.getPrototypeOf(globalThis); o !== null; o = Object.getPrototypeOf(o))
        names.push(Reflect.ownKeys(o).map(String).sort())
      exit(names)`
    const [type, first, ...rest] = (await payloadOf(sourceCode)) as [string, ...string[][]]
    expect(type).toBe('object')
    expect(first).toEqual(['Temporal', 'console'])
    expect(
      rest
        .flat()
        .filter(name => !name.startsWith('__'))
        .toSorted(),
    ).toEqual(
      'constructor constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf'.split(
        ' ',
      ),
    )
  })

  test('has Temporal only for a script that names it', async () => {
    expect(await payloadOf("exit(Reflect.has(globalThis, 'Temp' + 'oral'))")).toBe(false)
  })

  test('has different random numbers in every run', async () => {
    const draws = await Promise.all(Array.from({ length: 6 }, () => payloadOf('exit(Math.random())')))
    expect(new Set(draws).size).toBe(6)
  })

  test('lets a script replace only payload and options', async () => {
    const sourceCode = `const fates = {}
      for (const name of ${JSON.stringify(api.split(' '))}) {
        const before = globalThis[name]
        try { globalThis[name] = 'mine' } catch {}
        try { delete globalThis[name] } catch {}
        try { Object.defineProperty(globalThis, name, { value: 'mine' }) } catch {}
        fates[name] = globalThis[name] === before
      }
      exit(fates)`
    expect(await payloadOf(sourceCode)).toEqual({
      Platform: true,
      exit: true,
      fail: true,
      generateGuid: true,
      graphql: true,
      log: true,
      options: false,
      payload: false,
      requestContext: true,
    })
  })

  test('leads only to objects of its own realm', async () => {
    const sourceCode = `const seen = new Set(), queue = [globalThis, (async () => {}).constructor,
      (function* () {}).constructor,
        new Error('x'), Promise.resolve(), graphql('q'), log, console, Platform, requestContext()]
      const foreign = []
      while (queue.length > 0) {
        const value = queue.pop()
        if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue
        seen.add(value)
        const parent = Object.getPrototypeOf(value)
        const isOwn = value === Object.prototype || parent === null || value instanceof Object || value === globalThis
        if (!isOwn) foreign.push(String(value?.constructor?.name))
        if (typeof value === 'function' && value !== Function.prototype && !(value instanceof Function))
          foreign.push('function ' + value.name)
        queue.push(parent)
        for (const key of Reflect.ownKeys(value)) {
          const { value: inner, get, set } = Object.getOwnPropertyDescriptor(value, key)
          queue.push(inner, get, set)
        }
      }
      const names = [...seen].map(value => typeof value === 'function' ? value.name : '')
      exit({ count: seen.size, foreign,
        names: names.filter(name => /Reference|ExternalCopy|Isolate|Callback|require|process/.test(name)) })`
    const found = (await payloadOf(sourceCode)) as { count: number; foreign: string[]; names: string[] }
    expect(found.count).toBeGreaterThan(500)
    expect([found.foreign, found.names]).toEqual([[], ['ReferenceError']])
  })

  test('is restored for the next run, whatever a script did to it', async () => {
    const soil = `for (const key of Reflect.ownKeys(globalThis)) { try { delete globalThis[key] } catch {} }
      exit(1)`
    expect(await payloadOf(soil)).toBe(1)
    expect(await payloadOf('exit([typeof JSON.parse, Math.max(1, 2)])')).toEqual(['function', 2])
  })
})

test('an error in the arguments of a method of `Platform` shows the line of its call in a short stack', async () => {
  const sourceCode = `Error.stackTraceLimit = 6
    try { await Platform.teamMemberships.add({}) } catch ({ stack }) { exit(stack) }`
  expect(await payloadOf(sourceCode)).toBe(
    'TypeError: `user_id` must be the integer id of a user\n    at task.js:2:42',
  )
})

describe('a script that changes the language affects only itself', () => {
  // Each runs before a log, a call and an ending.
  const soils: [string, string][] = [
    ['JSON', 'JSON.stringify = () => \'{"forged":1}\'; JSON.parse = () => ({ forged: 1 })'],
    ['Object', 'Object.create = Object.defineProperty = Object.freeze = Object.keys = () => { throw 1 }'],
    [
      'promises',
      'Promise.prototype.then = Promise.prototype.catch = () => { throw 1 }; Promise.resolve = () => { throw 1 }',
    ],
    ['the constructor of promises', 'Promise.prototype.constructor = class Mine {}'],
    ['the species of promises', 'Object.defineProperty(Promise, Symbol.species, { get() { throw 1 } })'],
    [
      'functions',
      'Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1 }',
    ],
    [
      'arrays',
      'for (const key of Reflect.ownKeys(Array.prototype)) ' +
        '{ try { Array.prototype[key] = () => { throw 1 } } catch {} }',
    ],
    [
      'texts',
      'for (const key of Reflect.ownKeys(String.prototype)) ' +
        '{ try { String.prototype[key] = () => { throw 1 } } catch {} }',
    ],
    ['iteration', 'Array.prototype[Symbol.iterator] = () => { throw 1 }'],
    [
      'setters on all objects',
      "for (const key of ['0', '1', 'resolve', 'reject', 'message', 'level', 'stack', 'line']) " +
        'Object.defineProperty(Object.prototype, key, { set() { throw 1 }, configurable: true })',
    ],
    [
      'setters on all arrays',
      'for (let i = 0; i < 20; i++) ' +
        'Object.defineProperty(Array.prototype, i, { set() { throw 1 }, configurable: true })',
    ],
    [
      'a getter on all objects',
      "Object.defineProperty(Object.prototype, 'given', { get() { log('forged') }, enumerable: true })",
    ],
    ['descriptors', 'Object.prototype.get = () => 1; Object.prototype.set = () => 1'],
    ['errors', 'globalThis.Error = null; globalThis.TypeError = null'],
    ['numbers', 'Number.prototype.toString = () => { throw 1 }; globalThis.Number = null'],
    [
      'toJSON of primitives',
      "String.prototype.toJSON = Number.prototype.toJSON = Boolean.prototype.toJSON = () => 'forged'",
    ],
    [
      'the global object',
      "for (const key of ['Object', 'Array', 'Promise', 'JSON', 'String', 'Function', 'Reflect', 'Symbol']) " +
        'delete globalThis[key]',
    ],
    [
      'frozen prototypes',
      'Object.freeze(Object.prototype); Object.freeze(Array.prototype); Object.freeze(Promise.prototype)',
    ],
  ]

  test.each(soils)('%s: results, logs and calls are right', async (_, soil) => {
    const execution = await tasks.run(`${soil}; log('kept', 1); await graphql('q'); exit({ real: [1, 'x'] })`)
    expect([wordOf(execution), execution.payload]).toEqual(['exit', { real: [1, 'x'] }])
    expect(logged(execution)).toEqual([['kept', 1]])
    expect((await tasks.run(`${soil}; fail('words')`)).message).toBe('words')
  })

  test.each(soils)('%s: an error has its line', async (_, soil) => {
    const { error } = await tasks.run(`const Mine = TypeError; ${soil}\nthrow new Mine('mine')`)
    expect(error).toMatchObject({ code: 'RUNTIME', message: 'TypeError: mine', line: 2 })
  })

  test.each(soils)('%s: a method of `Platform` asks for what it should', async (_, soil) => {
    asked = []
    const execution = await tasks.run(`${soil}; exit(await Platform.users.get(7))`)
    expect([wordOf(execution), execution.payload]).toEqual(['exit', null])
    expect(asked).toEqual([[expect.stringContaining('user(id: $id)'), { id: 7 }]])
  })

  test('even if that breaks `await`', async () => {
    const execution = await tasks.run("Promise.prototype.constructor = null; log('kept')\nawait graphql('q')")
    expect(execution.error).toMatchObject({ code: 'RUNTIME', line: 2 })
    expect(logged(execution)).toEqual([['kept']])
  })

  test('and the next run finds it unchanged', async () => {
    for (const [, soil] of soils.slice(0, 4)) await tasks.run(`${soil}; exit(1)`)
    expect(
      await payloadOf('exit([JSON.stringify({ a: [1] }), await Promise.resolve(1), [2, 1].sort()])'),
    ).toEqual(['{"a":[1]}', 1, [1, 2]])
  })
})
