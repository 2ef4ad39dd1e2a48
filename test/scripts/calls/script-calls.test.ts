import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RostrumError } from '../../../src/errors.ts'
import { startTasks, type TestGraphql, type TestTasks, wordOf } from '../run/start-tasks.ts'

type Answer = Awaited<ReturnType<TestGraphql>>

let tasks: TestTasks
// The calls being answered, and the queries in the order of their arrival.
let active = 0
let maxActive = 0
let asked: string[] = []
const gate = Promise.withResolvers<Answer>()

const answers: Record<string, () => Answer | Promise<Answer>> = {
  errors: () => ({ status: 200, body: { errors: [{ message: 'of the engine' }] } }),
  refused: () => ({ status: 400, body: { errors: [{ message: 'too deep' }] } }),
  blank: () => ({ status: 503, body: null }),
  large: () => ({ status: 200, body: { data: 'x'.repeat(10_000) } }),
  rejects: () => Promise.reject(new RostrumError('OVERLOADED', 'No sandbox is free.')),
  breaks: () => Promise.reject(new TypeError('Cannot read properties of /srv/app/secret.ts')),
  throws: () => {
    throw new TypeError('Cannot read properties of /srv/app/secret.ts')
  },
  hang: () => new Promise(() => undefined),
  gate: () => gate.promise,
}

beforeAll(async () => {
  const settings = {
    ROSTRUM_TASK_GRAPHQL_CALLS: '20',
    ROSTRUM_TASK_GRAPHQL_AT_ONCE: '4',
    ROSTRUM_TASK_GRAPHQL_BYTES: '2000',
    ROSTRUM_BODY_BYTES: '100000',
  }
  tasks = await startTasks(settings, async ({ query, variables }) => {
    asked.push(query)
    maxActive = Math.max(maxActive, ++active)
    try {
      await sleep(2)
      return (await answers[query]?.()) ?? { status: 200, body: { data: variables } }
    } finally {
      active--
    }
  })
})
afterAll(() => tasks.runner.close())

async function payloadOf(sourceCode: string): Promise<unknown> {
  asked = []
  maxActive = 0
  const execution = await tasks.run(sourceCode)
  expect([wordOf(execution), execution.error]).toEqual(['exit', null])
  return execution.payload
}

const fate = (call: string) =>
  payloadOf(`exit(await ${call}.then(v => ['resolved', v], e => ['rejected', e.message]))`)

describe('an answer', () => {
  test('of the engine resolves as JSON, with its errors', async () => {
    const variables = '{ a: [1, null, "€"], b: { c: "\\u2028" } }'
    expect(await fate(`graphql('x', ${variables})`)).toEqual([
      'resolved',
      { data: { a: [1, null, '€'], b: { c: '\u2028' } } },
    ])
    expect(await fate("graphql('x')")).toEqual(['resolved', { data: {} }])
    expect(await fate("graphql('x', null, undefined)")).toEqual(['resolved', { data: {} }])
    expect(await fate("graphql('errors')")).toEqual(['resolved', { errors: [{ message: 'of the engine' }] }])
  })

  test.each([
    ['\\\\', '\\n'],
    ['\\\\', '\\u0022'],
    ['a\\\\\\\\', 'a\\\\b'],
  ])('after one with the key "%s" has its own key "%s"', async (earlier, key) => {
    const sourceCode = `Object.defineProperty(Object.prototype, 'x', { set() {} })
      Object.defineProperty(Array.prototype, '0', { set() {} })
      await graphql('x', { x: 1, "${earlier}": 1 })
      const { data } = await graphql('x', { x: 1, "${key}": [{ x: "\\\\" }, [], {}, -1.5, null, true] })
      exit(JSON.stringify([data, data["${key}"].length]))`
    const name = JSON.stringify(JSON.parse(`"${key}"`))
    expect(await payloadOf(sourceCode)).toBe(`[{"x":1,${name}:[{"x":"\\\\"},[],{},-1.5,null,true]},6]`)
  })

  test.each([
    ['refused', 'graphql: the gateway answered 400: too deep'],
    ['blank', 'graphql: the gateway answered 503: no reason given'],
    ['large', 'graphql: the answer has 10011 bytes; at most 2000 are allowed'],
    ['rejects', 'No sandbox is free.'],
  ])('that is %s rejects, and says why', async (query, message) => {
    expect(await fate(`graphql('${query}')`)).toEqual(['rejected', message])
  })

  test.each(['breaks', 'throws'])('for which the gateway %s rejects without internal detail', async query => {
    const [outcome, message] = (await fate(`graphql('${query}')`)) as [string, string]
    expect(outcome).toBe('rejected')
    expect(message).not.toMatch(/srv|secret|TypeError|undefined/)
  })

  test('that rejects has the calling line in its stack', async () => {
    const execution = await tasks.run("\n\n  await graphql('refused')")
    expect(execution.error).toMatchObject({ code: 'RUNTIME', line: 3 })
    expect(execution.error?.stack).toMatch(/task\.js:3/)
  })
})

describe('a call with other arguments rejects and is not made', () => {
  test.each([
    ['no query', 'graphql()'],
    ['an object for the query', 'graphql({})'],
    ['text for the variables', "graphql('x', 'y')"],
    ['a list for the variables', "graphql('x', [])"],
    ['a number for the url', "graphql('x', {}, 7)"],
    ['variables that JSON cannot carry', "graphql('x', { a: { b: () => 1 } })"],
    ['a cycle', "graphql('x', (() => { const a = {}; a.a = a; return a })())"],
    ['variables that throw', "graphql('x', { toJSON() { throw new Error('no') } })"],
    ['a query past all bounds', "graphql('x'.repeat(5e6))"],
    ['variables past all bounds', "graphql('x', { a: 'x'.repeat(5e6) })"],
    ['wide characters past all bounds', "graphql('x', { a: '\\u0001'.repeat(1e5) })"],
    ['a url past all bounds', "graphql('x', {}, 'https://evil.example/' + 'x'.repeat(14e6))"],
    ['a url that is not on the list', "graphql('x', {}, 'https://evil.example/')"],
  ])('%s', async (_, call) => {
    expect(await fate(call)).toEqual(['rejected', expect.stringMatching(/\S/)])
    expect(asked).toEqual([])
  })
})

describe('calls', () => {
  test('past the limit reject and are not made', async () => {
    const sourceCode = `const fates = []
      for (let i = 0; i < 25; i++) fates.push(await graphql('q' + i).then(() => 'resolved', e => e.message))
      exit(fates)`
    const fates = (await payloadOf(sourceCode)) as string[]
    expect(fates.slice(0, 20)).toEqual(Array(20).fill('resolved'))
    expect(fates.slice(20)).toEqual(
      Array(5).fill('A run may call `graphql` 20 times; this call is one too many'),
    )
    expect(asked).toEqual(Array.from({ length: 20 }, (_, i) => `q${i}`))
  })

  test('made while the variables of another are serialized do not pass the limit either', async () => {
    const sourceCode = `for (let i = 0; i < 19; i++) await graphql('q')
      const inner = []
      const outer = await graphql('outer', { toJSON() {
        inner.push(graphql('inner').then(() => 'resolved', () => 'rejected')); return {} } })
        .then(() => 'resolved', () => 'rejected')
      exit([outer, ...await Promise.all(inner)])`
    expect(((await payloadOf(sourceCode)) as string[]).toSorted()).toEqual(['rejected', 'resolved'])
    expect(asked).toHaveLength(20)
  })

  test('are limited in concurrency, and the others wait', async () => {
    const sourceCode = `exit((await Promise.all(Array.from({ length: 20 },
      (_, i) => graphql('q' + i, { i })))).map(r => r.data.i))`
    expect(await payloadOf(sourceCode)).toEqual(Array.from({ length: 20 }, (_, i) => i))
    expect(asked).toEqual(Array.from({ length: 20 }, (_, i) => `q${i}`))
    expect(maxActive).toBe(4)
  })

  test('that wait are not made after the run has ended', async () => {
    expect(await payloadOf("for (let i = 0; i < 15; i++) graphql('gate'); exit(1)")).toBe(1)
    expect(asked.length).toBeLessThanOrEqual(4)
    const made = [...asked]
    gate.resolve({ status: 200, body: {} })
    expect(wordOf(await tasks.run("await graphql('later'); exit(1)"))).toBe('exit')
    expect(asked).toEqual([...made, 'later'])
  })

  test('that hang end with the run', async () => {
    expect(await payloadOf("graphql('hang'); await graphql('x'); exit('ended')")).toBe('ended')
  })

  test('of one run do not affect the next run', async () => {
    for (let i = 0; i < 3; i++) {
      expect(await payloadOf("for (let i = 0; i < 20; i++) await graphql('q'); exit(1)")).toBe(1)
    }
  })
})

test('variables of more than 10,000 values reject, and are not made', async () => {
  const call = (count: number) => fate(`graphql('x', { a: Array(${count}).fill(0) })`)
  expect(await call(9_998)).toEqual(['rejected', expect.stringContaining('the answer has')])
  expect(await call(9_999)).toEqual(['rejected', expect.stringContaining('more than 10000 values')])
  expect(await fate("graphql('x')")).toEqual(['resolved', { data: {} }])
})
