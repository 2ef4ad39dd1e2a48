import { afterEach, expect, test } from 'vitest'
import { HeldLines } from '../../../src/scripts/launch/held-lines.ts'
import { sandboxCommand } from '../../../src/scripts/launch/sandbox-command.ts'
import { logged, startTasks, wordOf } from '../run/start-tasks.ts'
import { endSandboxes, listen, runLimits, runMessage, startSandbox } from './start-sandbox.ts'

// A sandbox has one thread. While its script computes, the process reads and sends nothing.

const closings: (() => unknown)[] = []

afterEach(async () => {
  await endSandboxes()
  for (const close of closings.splice(0)) await close()
})

test('what a script logged arrives while it computes, once', async () => {
  const heldLines = new HeldLines(1)
  closings.push(() => heldLines.close())
  const command = sandboxCommand({ limits: runLimits, isolation: 'run' }, false)
  const { sandbox, nextReady } = startSandbox(command, undefined, heldLines)
  await nextReady()
  sandbox.occupy()
  const { listener, said, reasons, over } = listen()
  const arrived = Promise.withResolvers<void>()
  const message: typeof listener.message = each => {
    listener.message(each)
    if (said.length === 2) arrived.resolve()
  }
  sandbox.begin(runMessage("log('first'); log('second'); for (;;);"), { ...listener, message })
  await arrived.promise
  expect(said.map(each => each.type === 'log' && each.data)).toEqual(['["first"]', '["second"]'])
  expect(reasons).toEqual([])
  sandbox.kill('was ended because its gateway stopped')
  await over
  expect(said.length).toBe(2)
})

test('a script at the end of its stack can log, call and exit, and sees no error of the sandbox', async () => {
  const { run, runner } = await startTasks()
  closings.push(() => runner.close())
  // Each level on the way back from the overflow has a little more stack.
  const execution = await run(`
    const errors = new Set()
    const dive = depth => {
      try { dive(depth + 1) } catch (error) {
        errors.add(error.constructor === RangeError && error.message)
        try { log(depth); generateGuid(); graphql('q') } catch (inner) {
          errors.add(inner.constructor === RangeError ? inner.message : inner.stack)
        }
        if (depth % 50 === 0) exit([...errors])
        throw error
      }
    }
    dive(1)`)
  expect(execution.payload).toEqual(['Maximum call stack size exceeded'])
  expect(logged(execution).length).toBeGreaterThan(0)
})

test('a script that goes on after its end in a reused isolate is killed, and the next run is served', async () => {
  const { run, runner } = await startTasks({ ROSTRUM_ISOLATION: 'account' })
  closings.push(() => runner.close())
  const [first] = runner.pids()
  expect((await run('try { exit(1) } catch { for (;;); }')).payload).toBe(1)
  expect((await run("log('next'); exit(2)")).payload).toBe(2)
  expect(runner.pids()).not.toContain(first)
})

test('of such a script, nothing is taken after its end', async () => {
  const { run, runner } = await startTasks({ ROSTRUM_ISOLATION: 'account' })
  closings.push(() => runner.close())
  const [first] = runner.pids()
  const execution = await run(
    "try { exit(1) } catch { log('late'); graphql('late'); fail('late'); for (;;); }",
  )
  expect([execution.payload, logged(execution)]).toEqual([1, []])
  expect((await run('exit(2)')).payload).toBe(2)
  expect(runner.pids()).toEqual([first])
})

// The reserved buffers leave V8 no addresses for its own heap.
const reserve = `const buffers = []
  for (let n = 2 ** 32; n > 2 ** 12; n /= 2) {
    try { for (;;) buffers.push(new ArrayBuffer(0, { maxByteLength: n })) } catch {}
  }`

test.each([
  ['fills its isolate', 'const all = new Map(); for (let i = 0; ; i++) all.set(i, i)'],
  ['leaves its process no memory', `${reserve}; const all = []; for (;;) all.push({ x: [1, 2, 3] })`],
])('a run that %s ends with MEMORY', async (_, bomb) => {
  const { run, runner } = await startTasks({ ROSTRUM_TASK_CPU_MS: '20000' })
  closings.push(() => runner.close())
  const execution = await run(`log('before'); ${bomb}`)
  expect([wordOf(execution), logged(execution)]).toEqual(['MEMORY', [['before']]])
  expect((await run('exit(1)')).payload).toBe(1)
})
