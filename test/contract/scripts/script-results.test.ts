import { beforeAll, describe, expect, test } from 'vitest'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

async function run(sourceCode: string) {
  return (await server.execute(sourceCode)).body.task_execution
}

test.each([
  ['null', null],
  ['true', true],
  ['0', 0],
  ['-1.5e300', -1.5e300],
  ['"text ✓ \\u0000 \\u2028"', 'text ✓ \u0000 \u2028'],
  ['""', ''],
  ['[]', []],
  ['[1, [2, [null]]]', [1, [2, [null]]]],
  ['{ a: { b: {} } }', { a: { b: {} } }],
  ['', null],
  ['NaN', null],
  ['{ a: undefined, b: 1 }', { b: 1 }],
  ['new Date(0)', '1970-01-01T00:00:00.000Z'],
  ['{ toJSON() { return { of: "toJSON" } } }', { of: 'toJSON' }],
  ['{ deep: [{ toJSON: () => 5 }] }', { deep: [5] }],
  ['new (class Point { x = 1 })()', { x: 1 }],
  ['Object.assign(new Map(), { toJSON: () => [1] })', [1]],
  ['Object.create(null)', {}],
  ['JSON.parse(\'{"__proto__": 1}\')', JSON.parse('{"__proto__": 1}')],
  ['[1, , 3]', [1, null, 3]],
  ['Object.assign([1], { act() {} })', [1]],
  ['{ raw: [JSON.rawJSON("1.50")] }', { raw: [1.5] }],
  ['{ get two() { return 2 } }', { two: 2 }],
  ['(Array.prototype.toJSON = () => 7, { a: [1] })', { a: 7 }],
  ['(Object.prototype.toJSON = () => 7, [{}])', 7],
  ['Object.assign([1], { toJSON: () => undefined })', null],
  ['Object.defineProperty({ a: 1 }, "toJSON", { value: () => undefined })', null],
  ['{ get late() { Object.prototype.toJSON = () => undefined } }', null],
])('exit(%s) gives what JSON makes of it', async (value, expected) => {
  const { outcome, payload, error } = await run(`exit(${value})`)
  expect({ outcome, payload, error }).toEqual({ outcome: 'exit', payload: expected, error: null })
})

// What JSON cannot carry, with a pattern of the path that the message must name.
const impossible: [string, string, RegExp][] = [
  ['a function', 'exit({ list: [1, { act() {} }] })', /list\W{1,2}1\W{1,3}act/],
  ['an arrow function in a list', 'exit({ a: [() => 1] })', /a\W{1,2}0/],
  ['a BigInt', 'exit({ total: { cents: 5n } })', /total\W{1,2}cents/],
  ['a cycle', 'const a = { next: {} }; a.next.back = a; exit({ a })', /a\W{1,2}next\W{1,2}back/],
  ['a cycle in a list', 'const list = [1]; list.push(list); exit({ list })', /list\W{1,2}1/],
]

test.each(impossible)('%s in the result is an error that names its path', async (_, sourceCode, path) => {
  const { outcome, payload, error } = await run(sourceCode)
  expect({ outcome, payload, code: error?.code }).toEqual({ outcome: 'error', payload: null, code: 'RESULT' })
  expect(error?.message).toMatch(path)
})

test.each(['exit(() => 1)', 'exit(5n)', 'exit(function named() {})'])(
  '%s is a RESULT error',
  async sourceCode => {
    expect((await run(sourceCode)).error?.code).toBe('RESULT')
  },
)

test.each([
  ['{ team: Platform.teams.get(3) }', 'a promise, at `$.team`. Await it first.'],
  ['(async () => 1)()', 'a promise, at `$`. Await it first.'],
  ['[new Map([[1, 2]])]', 'a Map, at `$[0]`. Use `Object.fromEntries(map)`.'],
  ['new (class Users extends Set {})([1])', 'a Set, at `$`. Use `[...set]`.'],
  ['{ a: Object.assign([], { toJSON: () => new Set() }) }', 'a Set, at `$.a`. Use `[...set]`.'],
  ['{ a: new WeakMap() }', 'a WeakMap, at `$.a`; pass plain JSON values to `exit`'],
  ['{ a: new WeakSet() }', 'a WeakSet, at `$.a`; pass plain JSON values to `exit`'],
  ['new ArrayBuffer(2)', 'an ArrayBuffer, at `$`; pass plain JSON values to `exit`'],
  ['[new Uint8Array([1])]', 'a Uint8Array, at `$[0]`; pass plain JSON values to `exit`'],
  ['new DataView(new ArrayBuffer(1))', 'a DataView, at `$`; pass plain JSON values to `exit`'],
])('exit(%s) is refused, because JSON would drop its content', async (value, problem) => {
  const { outcome, payload, error } = await run(`exit(${value})`)
  expect({ outcome, payload, code: error?.code }).toEqual({ outcome: 'error', payload: null, code: 'RESULT' })
  expect(error?.message).toBe(`TypeError: JSON cannot carry ${problem}`)
})

test('a log shows the kind of what JSON would drop', async () => {
  const { outcome, logs } = await run(`
    log({ a: [Platform.teams.get(3)] }, new Map([[1, 2], [3, 4]]), new Set([1]), new WeakMap(), new WeakSet())
    log(new ArrayBuffer(8), new Uint8Array(3), new DataView(new ArrayBuffer(1)), Object.create(Map.prototype))
    log(new Proxy(new Map([[1, 2]]), {}))
    exit(1)`)
  expect(outcome).toBe('exit')
  expect(logs.map(({ data }: { data: unknown }) => data)).toEqual([
    [{ a: ['[Promise]'] }, '[Map 2]', '[Set 1]', '[WeakMap]', '[WeakSet]'],
    ['[ArrayBuffer 8]', '[Uint8Array 3]', '[DataView]', '[Map]'],
    ['[Map]'],
  ])
})

test('a script that changes the built-in classes cannot get a promise past the check', async () => {
  const { outcome, error } = await run(`
    Object.getPrototypeOf = () => Object.prototype
    Object.prototype.isPrototypeOf = () => false
    Object.defineProperty(Map.prototype, 'size', { get() { throw new Error('size') } })
    log(new Map([[1, 2]]))
    exit({ team: Promise.resolve(1) })`)
  expect([outcome, error?.message]).toEqual([
    'error',
    'TypeError: JSON cannot carry a promise, at `$.team`. Await it first.',
  ])
})

test('the variables of a call are held to the same rule', async () => {
  const { payload } = await run(
    'exit(await graphql("{ viewer { userId } }", { a: Promise.resolve(1) }).catch(({ message }) => message))',
  )
  expect(payload).toBe(
    'JSON cannot carry a promise, at `$.a`, in the variables of `graphql`. Await it first.',
  )
})

test('the documents of a run inside a run are held to the same rule', async () => {
  const { payload } = await run(`
    const execute = more => Platform.tasks
      .execute({ name: 'inner', sourceCode: 'exit([payload, options.params])', inputDocument: {}, ...more })
      .then(({ payload }) => payload, ({ message }) => message)
    exit([
      await execute({ inputDocument: { a: Promise.resolve(1) } }),
      await execute({ options: { params: [new Map()] } }),
      await execute({ inputDocument: 5n }),
      await execute({ inputDocument: () => 1 }),
      await execute({ inputDocument: { a: NaN, b: undefined, c: new Date(0) }, options: { params: 'text' } }),
    ])`)
  expect(payload).toEqual([
    'JSON cannot carry a promise, at `$.a`, in `inputDocument`. Await it first.',
    'JSON cannot carry a Map, at `$.params[0]`, in `options`. Use `Object.fromEntries(map)`.',
    'JSON cannot carry a BigInt, at `$`, in `inputDocument`',
    'JSON cannot carry a function, at `$`, in `inputDocument`',
    [{ a: null, c: '1970-01-01T00:00:00.000Z' }, 'text'],
  ])
})

test('the same object twice, without a cycle, is no error', async () => {
  expect((await run('const x = { a: 1 }; exit([x, x])')).payload).toEqual([{ a: 1 }, { a: 1 }])
})

test('a toJSON that throws or a nest too deep for JSON is an error of the run, not of the gateway', async () => {
  for (const sourceCode of [
    'exit({ toJSON() { throw new Error("no") } })',
    'let a = {}; for (let i = 0; i < 200000; i++) a = { a }; exit(a)',
    'exit({ get x() { throw null } })',
  ]) {
    const { outcome, error } = await run(sourceCode)
    expect(outcome).toBe('error')
    expect(['RESULT', 'RUNTIME', 'LIMIT']).toContain(error?.code)
  }
})

describe('the payload', () => {
  test('is assignable, as a whole and in its parts', async () => {
    const answer = await server.execute({
      sourceCode: 'payload.a = 2; payload = { ...payload, b: 3 }; exit(payload)',
      inputDocument: { a: 1 },
    })
    expect(answer.body.task_execution.payload).toEqual({ a: 2, b: 3 })
  })

  test('keeps keys that mean something to JavaScript as plain data', async () => {
    const answer = await server.execute({
      sourceCode:
        'exit([payload.x === undefined, ({}).x === undefined, Object.hasOwn(payload, "__proto__")])',
      inputDocument: '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}',
    })
    expect(answer.body.task_execution.payload).toEqual([true, true, true])
  })

  test('is data even where it looks like code', async () => {
    const text = `'); exit({injected: 1}); ('\`\${exit(2)}\`</script>\u2028`
    const answer = await server.execute({ sourceCode: 'exit(payload.a)', inputDocument: { a: text } })
    expect(answer.body.task_execution.payload).toBe(text)
  })
})
