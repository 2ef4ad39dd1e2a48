import { chmodSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { signalAll } from '../../server/processes/child-processes.ts'
import { makeTempFolder, type TempFolder } from '../../server/processes/temp-folder.ts'
import { exitLine, line, logLine, type Speech, startSpokenTasks } from '../run/spoken-tasks.ts'
import { logged, readPayload, startTasks, wordOf } from '../run/start-tasks.ts'

const path = process.env.PATH ?? ''
const folders: TempFolder[] = []
const closings: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closings.splice(0)) await close()
  process.env.PATH = path
  for (const folder of folders.splice(0)) folder.remove()
})

const begun = line({ type: 'begun', run: '<run>' })
// The sandbox holds `ready` only after a run, so the first line of a run has the number 2: its first `ready` is sent.
const held = (text: string, number: number) => ({ hold: `${number} ${text}` })

function spoken(speech: Speech) {
  const { pool, run } = startSpokenTasks({ speech })
  closings.push(() => pool.close())
  return async () => readPayload(await run())
}

describe('what a sandbox held when it died', () => {
  test('is in the answer, after what it had sent', async () => {
    const run = spoken({
      onRun: [
        begun,
        logLine('["sent"]'),
        held(logLine('["held"]'), 4),
        held(logLine('["last"]'), 5),
        { exit: 3 },
      ],
    })
    const execution = await run()
    expect([wordOf(execution), logged(execution)]).toEqual(['CRASHED', [['sent'], ['held'], ['last']]])
  })

  test('is not taken twice if it had been sent too', async () => {
    const run = spoken({
      onRun: [held(begun, 2), held(logLine('["once"]'), 3), begun + logLine('["once"]'), { exit: 3 }],
    })
    expect(logged(await run())).toEqual([['once']])
  })

  test('proves that the run has begun, so it is not repeated', async () => {
    const { pool, run } = startSpokenTasks({ speech: { onRun: [held(begun, 2), { exit: 3 }] } })
    closings.push(() => pool.close())
    expect(wordOf(readPayload(await run()))).toBe('CRASHED')
    const word = (await run()).error?.message
    expect(word).toBe('The sandbox exited with code 3')
  })

  test.each([
    ['of another run', line({ type: 'log', run: 'another', level: 'info', data: '["forged"]' })],
    ['that is no message', 'nonsense\n'],
    ['that is an end', exitLine()],
  ])('is left out if it is a line %s', async (_, text) => {
    const run = spoken({ onRun: [begun, held(text, 3), { exit: 3 }] })
    const execution = await run()
    expect([wordOf(execution), logged(execution)]).toEqual(['CRASHED', []])
  })
})

// Only a compromised sandbox holds an end. The gateway looks into the pipe of a run that lasts.
test('an end that a living sandbox holds is not taken, and ends the sandbox', async () => {
  const run = spoken({ onRun: [begun, held(exitLine(), 3), { wait: 5_000 }] })
  const { error } = await run()
  expect(error?.message).toBe('The sandbox held a message that it must send')
})

describe('a run that is sent while its sandbox recovers', () => {
  // The second run comes when the first has ended. The process never says that it is ready again.
  test('is given to another one if the sandbox dies', async () => {
    const deaths = [exitLine(), { wait: 20 }, { exit: 3 }]
    const run = spoken({ onRun: deaths, reads: false })
    for (let i = 0; i < 5; i++) expect(wordOf(await run())).toBe('exit')
  })

  test('is given to another one if the sandbox lies that it has begun, and nothing is taken of the lie', async () => {
    const lie = `${logLine('["a lie"]')}${exitLine()}`
    const run = spoken({ onRun: [lie] })
    for (let i = 0; i < 5; i++) {
      const execution = await run()
      expect([wordOf(execution), logged(execution)]).toEqual(['exit', [['a lie']]])
    }
  })
})

test('sandboxes serve one run after another without a pause, and each run happens once', async () => {
  const counts = new Map<string, number>()
  const { run, runner } = await startTasks({}, async ({ query }) => {
    counts.set(query, (counts.get(query) ?? 0) + 1)
    return { status: 200, body: {} }
  })
  closings.push(() => runner.close())
  const names = Array.from({ length: 60 }, (_, n) => `run${n}`)
  const killing = (async () => {
    for (let i = 0; i < 12; i++) {
      await sleep(7 * (i % 4) + 1)
      signalAll(runner.pids(), 'SIGKILL')
      while (!runner.ready()) await sleep(2)
    }
  })()
  const words = await Promise.all(
    names.map(async name => {
      const execution = await run(`log('${name}'); await graphql('${name}'); exit('${name}')`)
      expect(execution.payload ?? name).toBe(name)
      return wordOf(execution)
    }),
  )
  await killing
  expect(words.filter(word => word !== 'exit' && word !== 'CRASHED')).toEqual([])
  expect([...counts].filter(([, count]) => count > 1)).toEqual([])
  expect(names.filter((name, n) => words[n] === 'exit' && counts.get(name) !== 1)).toEqual([])
})

test('without `mkfifo` every line is sent at once', async () => {
  const folder = makeTempFolder()
  folders.push(folder)
  symlinkSync('/bin/sh', join(folder.path, 'sh'))
  chmodSync(folder.path, 0o755)
  process.env.PATH = folder.path
  const { run, runner } = await startTasks()
  closings.push(() => runner.close())
  for (const n of [1, 2, 3]) {
    const execution = await run(`log(${n}); exit(${n})`)
    expect([execution.payload, logged(execution)]).toEqual([n, [[n]]])
  }
})
