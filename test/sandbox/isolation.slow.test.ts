import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logged, startTasks, type TestTasks, wordOf } from '../scripts/run/start-tasks.ts'

// Things that a run may try to leave for the next one.
const soil = `globalThis.left = 'mine'; Object.prototype.left = Array.prototype.left = 'mine'; payload = 'mine'
  JSON.stringify = () => '"mine"'; Promise.prototype.then = () => { throw 1 }; log.left = 'mine'; console.left = 'mine'
  try { Platform.left = exit.left = 'mine' } catch {}
  Object.getPrototypeOf(globalThis).left = 'mine'`

const look = `exit([typeof left, typeof [].left, payload, JSON.stringify({ a: 1 }),
  await Promise.resolve('ok'), typeof log.left,
  typeof console.left, typeof Platform.left, typeof exit.left])`

const clean = ['undefined', 'undefined', {}, '{"a":1}', 'ok', ...Array(4).fill('undefined')]

describe.each([
  ['run', {}],
  ['account', { ROSTRUM_ISOLATION: 'account' }],
  ['account, with compilers', { ROSTRUM_ISOLATION: 'account', ROSTRUM_JIT: '1' }],
])('isolated by %s', (_, settings: Record<string, string>) => {
  let tasks: TestTasks

  beforeAll(async () => {
    tasks = await startTasks(settings)
  })
  afterAll(() => tasks.runner.close())

  test('hundreds of runs are served by one process', async () => {
    await tasks.run('exit(0)')
    const before = tasks.runner.pids()
    for (let i = 0; i < 150; i++) expect((await tasks.run(`exit(${i})`)).payload).toBe(i)
    expect(tasks.runner.pids()).toEqual(before)
  })

  test('a run finds nothing of the one before it, of its own account or another', async () => {
    for (const ending of [
      'exit(1)',
      "fail('x')",
      "throw new Error('x')",
      "await graphql('q')",
      "graphql('hang'); exit(1)",
    ]) {
      for (const account of ['alpha', 'alpha', 'beta', 'alpha']) {
        await tasks.run(`${soil}; ${ending}`, { account })
        expect([ending, (await tasks.run(look, { account })).payload]).toEqual([ending, clean])
      }
    }
  })

  test('nothing of a run continues in the next one', async () => {
    const lingering = [
      "(async () => { for (;;) { await null; log('late') } })(); exit(1)",
      "graphql('q').then(() => { log('late'); graphql('late') }); exit(1)",
      "try { exit(1) } catch { await graphql('q'); log('late') }",
      "for (;;) { try { exit(1) } catch { log('late') } }",
      "try { exit(1) } finally { Promise.reject(new Error('a secret of the run before')) }",
      "Promise.reject(new Error('a secret of the run before')); exit(1)",
      "exit({ toJSON() { Promise.resolve().then(() => { log('late') }); return 1 } })",
    ]
    for (const sourceCode of lingering) {
      expect([sourceCode, (await tasks.run(sourceCode)).payload]).toEqual([sourceCode, 1])
      const next = await tasks.run("await graphql('q'); await graphql('q'); await null")
      expect([sourceCode, wordOf(next), logged(next)]).toEqual([sourceCode, 'NO_OUTCOME', []])
    }
  })
})

async function reserveMemory(settings: Record<string, string>) {
  const tasks = await startTasks(settings)
  const hold = 'globalThis.held = Array.from({ length: 5e5 }, (_, i) => ({ i })); exit(held.length)'
  const payloads: unknown[] = []
  for (let i = 0; i < 8; i++) payloads.push((await tasks.run(hold)).payload)
  await tasks.runner.close()
  expect(payloads).toEqual(Array(8).fill(5e5))
}

test('a run can use all its memory, whatever earlier runs used', () => reserveMemory({}))

test('so can a run in an isolate that is reused for its account', () =>
  reserveMemory({ ROSTRUM_ISOLATION: 'account' }))

// V8 reads the getter of an unhandled rejection in a context of isolated-vm, and calls the proxy with an array of it.
test('a run cannot leave anything in the context that the realms of an isolate share', async () => {
  const tasks = await startTasks({ ROSTRUM_ISOLATION: 'account' })
  const reach = `let shared
    const get = new Proxy(() => '', { apply(target, self, given) { shared = given.constructor.prototype } })
    Promise.reject(Object.defineProperty({}, 'message', { get })); await graphql('q')`
  expect((await tasks.run(`${reach}; shared.left = 'mine'; exit(1)`)).payload).toBe(1)
  expect((await tasks.run(`${reach}; exit(typeof shared.left)`)).payload).toBe('undefined')
  await tasks.runner.close()
})

test('buffers find the memory that objects of an earlier run used', async () => {
  const tasks = await startTasks({ ROSTRUM_ISOLATION: 'account' })
  const heap = `const held = []
    for (let i = 0; i < 40; i++) held.push(Array.from({ length: 131_072 }, (_, j) => i + j + 0.5)); exit(held.length)`
  const buffers = 'const held = Array.from({ length: 48 }, () => new Uint8Array(2 ** 20)); exit(held.length)'
  const before = tasks.runner.pids()
  expect((await tasks.run(heap)).payload).toBe(40)
  expect((await tasks.run(buffers)).payload).toBe(48)
  expect((await tasks.run(buffers)).payload).toBe(48)
  expect(tasks.runner.pids()).toEqual(before)
  await tasks.runner.close()
})

test('a reused isolate stops a script that loops', async () => {
  const tasks = await startTasks({ ROSTRUM_ISOLATION: 'account', ROSTRUM_TASK_CPU_MS: '200' })
  const { error } = await tasks.run('for (;;);')
  expect(error).toMatchObject({
    code: 'TIMEOUT',
    message: 'The run used more than its 200 ms of processor time',
  })
  expect((await tasks.run('exit(1)')).payload).toBe(1)
  await tasks.runner.close()
})

test.each([
  ['computes until its deadline', 'Promise.resolve().then(() => log("late")); for (;;);'],
  ['leaves rejections', 'Promise.reject({ get message() { Promise.reject(new Error("late")) } })'],
])('a run that ends and then %s costs its isolate, not its sandbox', async (_, rest) => {
  const tasks = await startTasks({ ROSTRUM_ISOLATION: 'account', ROSTRUM_TASK_TIMEOUT_MS: '200' })
  const before = tasks.runner.pids()
  expect((await tasks.run(`try { exit(1) } catch { ${rest} }`)).payload).toBe(1)
  await sleep(500)
  expect(tasks.runner.pids()).toEqual(before)
  const next = await tasks.run("log('own'); exit(2)")
  expect([next.payload, logged(next)]).toEqual([2, [['own']]])
  await tasks.runner.close()
})

test('a script has no WebAssembly, with compilers or without', async () => {
  const tasks = await startTasks({ ROSTRUM_JIT: '1' })
  const sourceCode = 'let n = 0; for (let i = 0; i < 2e7; i++) n = (n + i) % 7; exit([typeof WebAssembly, n])'
  const execution = await tasks.run(sourceCode)
  expect(execution.payload).toEqual(['undefined', expect.any(Number)])
  await tasks.runner.close()
})
