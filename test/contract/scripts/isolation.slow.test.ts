import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'

// What a script is promised does not depend on how an operator has it isolated or compiled.
describe.each([
  ['a fresh isolate for every run', { ROSTRUM_ISOLATION: 'run' }],
  ['a warm isolate for an account', { ROSTRUM_ISOLATION: 'account' }],
  ['a compiler', { ROSTRUM_JIT: '1' }],
  ['a warm isolate and a compiler', { ROSTRUM_ISOLATION: 'account', ROSTRUM_JIT: '1' }],
])('with %s', (_, settings) => {
  let server: TestServer
  let beta: string

  beforeAll(async () => {
    server = await startServer({ ...settings, ROSTRUM_SANDBOXES: '1', ROSTRUM_TASK_CPU_MS: '300' })
    beta = await server.token({ account: 'beta', user: 1 })
  })
  afterAll(() => server.stop())

  const run = async (sourceCode: string, token = server.adminToken) =>
    (await server.execute<unknown>(sourceCode, { token })).body.task_execution

  test('a run finds nothing of the run before it, of its own account or another', async () => {
    const soil = `globalThis.left = 'A'; Array.prototype.left = 'A'; Object.prototype.left = 'A'
      options.left = 'A'; Platform.left = 'A'; JSON.stringify = () => '"A"';
        Promise.prototype.then = () => { throw 1 }; exit(1)`
    const look = `exit([typeof globalThis.left, typeof [].left, options.left ?? null, Platform.left ?? null,
      await Promise.resolve('ok'), JSON.stringify('own')])`
    for (const token of [server.adminToken, beta, server.adminToken]) {
      await run(soil)
      expect((await run(look, token)).payload).toEqual(['undefined', 'undefined', null, null, 'ok', '"own"'])
    }
  })

  test('what a run left pending never shows in a later one', async () => {
    const leave = `const late = () => Promise.resolve().then(() => { log('late') }).then(late);
      graphql('{ viewer { email } }')
      .then(() => { throw new Error('A-CANARY') }); Promise.reject(new Error('A-CANARY')); late(); exit(1)`
    for (let turn = 0; turn < 5; turn += 1) {
      expect((await run(leave)).payload).toBe(1)
      const next = await run(
        'log("mine"); await null; exit("clean")',
        turn % 2 === 0 ? beta : server.adminToken,
      )
      expect([next.payload, next.error, next.logs.map(entry => entry.data)]).toEqual([
        'clean',
        null,
        [['mine']],
      ])
    }
  })

  test('exit ends at its statement, and results, errors and places are the same', async () => {
    expect(await run("try { exit('first') } finally { log('late'); exit('second') }")).toMatchObject({
      payload: 'first',
      logs: [],
    })
    expect((await run('exit({ list: [1, { act() {} }] })')).error?.code).toBe('RESULT')
    expect((await run('await null\n  missing()')).error).toMatchObject({
      code: 'RUNTIME',
      line: 2,
      column: 3,
    })
    expect((await run('const a = 1\nconst = 5')).error).toMatchObject({ code: 'SYNTAX', line: 2, column: 7 })
    expect((await run('await new Promise(() => {})')).error?.code).toBe('NO_OUTCOME')
  })

  test('a busy loop and a memory bomb end, and the next run of anybody is well', async () => {
    expect((await run('log(1); for (;;);')).error?.code).toBe('TIMEOUT')
    expect((await run('exit("well")', beta)).payload).toBe('well')
    expect((await run('const all = []; for (;;) all.push([1, 2, 3])')).error?.code).toMatch(/MEMORY|TIMEOUT/)
    expect((await run('exit("well")', beta)).payload).toBe('well')
  })

  test('there is no WebAssembly, no shared memory and no process', async () => {
    const names = ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'process', 'require']
    expect((await run(`exit([${names.map(name => `typeof ${name}`).join()}])`)).payload).toEqual(
      names.map(() => 'undefined'),
    )
  })
})
