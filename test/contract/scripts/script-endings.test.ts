import { beforeAll, describe, expect, test } from 'vitest'
import { freshId } from '../../server/clients/memberships.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

async function run(sourceCode: string) {
  return (await server.execute(sourceCode)).body.task_execution
}

// Each script ends with exit('first'); whatever else it tries must leave no trace.
const endings: [string, string][] = [
  ['a following statement', "exit('first'); log('late'); exit('second')"],
  [
    'catch and finally',
    "try { exit('first') } catch { log('caught') } finally { log('late'); exit('second') }",
  ],
  [
    'a finally with a return',
    "(() => { try { exit('first') } finally { log('late'); return 1 } })(); exit('second')",
  ],
  ['nested finallys', "try { try { exit('first') } finally { log('a') } } finally { log('b') }"],
  ['a loop that catches', "for (;;) { try { exit('first') } catch { log('late') } }"],
  ['a pending promise', "Promise.resolve().then(() => log('late')); exit('first')"],
  [
    'a promise queued many times',
    "let p = Promise.resolve(); for (let i = 0; i < 50; i++) p = p.then(() => log('late')); exit('first')",
  ],
  [
    'an async finally',
    "await (async () => { try { await null; exit('first') } finally { await null; log('late') } })()",
  ],
  ['a sort comparator', "[3, 2, 1].sort(() => { exit('first'); log('late') }); log('late')"],
  [
    'a generator that cleans up',
    "function* g() { try { yield 1 } finally { log('late') } } for (const x of g()) exit('first')",
  ],
  ['a getter', "({ get x() { exit('first') } }).x; log('late')"],
  ['a promise executor', "new Promise(() => { exit('first') }).finally(() => log('late')); log('late')"],
  ['a then', "await Promise.resolve().then(() => { exit('first'); log('late') }); log('late')"],
  ['another branch', "(async () => { await null; exit('first') })(); await new Promise(() => {})"],
  ['an error after it', "try { exit('first') } finally { throw new Error('late') }"],
  ['an endless loop after it', "try { exit('first') } finally { for (;;); }"],
  ['a fail after it', "exit('first'); fail('second')"],
  ['code of a string', "eval(\"exit('first')\"); log('late')"],
]

describe('exit ends the run at its statement', () => {
  test.each(endings)('in spite of %s', async (_, sourceCode) => {
    const { outcome, payload, logs } = await run(sourceCode)
    expect({ outcome, payload, logs }).toEqual({ outcome: 'exit', payload: 'first', logs: [] })
  })

  test('and no call that was asked for after it is made', async () => {
    const id = freshId()
    await run(`try { exit(1) } finally { graphql('mutation { saveTeam(input: {id: "${id}"}) { id } }') }`)
    await run(
      `Promise.resolve().then(() => Platform.teamMemberships.add({ user_id: 1, team_id: ${id} })); exit(1)`,
    )
    expect((await server.rest('GET', `/platform/teams/${id}`)).status).toBe(404)
  })
})

describe('fail ends the run at its statement', () => {
  test.each([
    "try { fail('first') } catch { exit('second') } finally { log('late'); fail('third') }",
    "fail('first'); exit('second')",
    "for (;;) { try { fail('first') } catch { log('late') } }",
    "await null; try { fail('first') } finally { exit('second') }",
  ])('%s', async sourceCode => {
    const { outcome, message, payload, logs } = await run(sourceCode)
    expect({ outcome, message, payload, logs }).toEqual({
      outcome: 'fail',
      message: 'first',
      payload: null,
      logs: [],
    })
  })

  test.each([[''], [' '], ['null'], ['x'.repeat(10_000)]])('and takes the message as it is', async text => {
    expect(await run(`fail(${JSON.stringify(text)})`)).toMatchObject({ outcome: 'fail', message: text })
  })

  test.each([
    ['a promise that nobody awaited', '(async () => "no")()', '[Promise]'],
    ['a Map', 'new Map([["a", 1]])', '[Map 1]'],
    ['a plain object', '({ a: [new Set([1])] })', '{"a":["[Set 1]"]}'],
  ])('and shows %s as a log does', async (_, message, shown) => {
    expect(await run(`fail(${message})`)).toMatchObject({ outcome: 'fail', message: shown })
  })
})

describe('a run without an outcome', () => {
  test.each([
    ['an empty script', ''],
    ['a script of a comment', '// nothing'],
    ['a plain end', 'log("here"); 1 + 1'],
    ['an end after await', 'await null; await Promise.resolve(1)'],
    ['a promise that never settles', 'await new Promise(() => {})'],
    ['detached promises that never settle', 'new Promise(() => {}).then(() => exit(1))'],
    ['an end after graphql()', 'await graphql("{ viewer { accountCode } }")'],
    ['a function that is never called', 'function done() { exit(1) }'],
  ])('of %s is NO_OUTCOME', async (_, sourceCode) => {
    const { outcome, error, payload, message } = await run(sourceCode)
    expect({ outcome, payload, message }).toEqual({ outcome: 'error', payload: null, message: null })
    expect(error?.code).toBe('NO_OUTCOME')
  })

  test('waits for what is pending', async () => {
    const sourceCode = 'graphql("{ viewer { accountCode } }").then(r => exit(r.data.viewer.accountCode))'
    expect(await run(sourceCode)).toMatchObject({ outcome: 'exit', payload: server.account })
  })
})
