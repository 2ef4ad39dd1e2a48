import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { findDescendants, findSurvivors } from '../../server/processes/child-processes.ts'
import { until } from '../../server/processes/until.ts'
import { type Chunk, logLine, ready, type Speech, speakingCommand } from '../run/spoken-tasks.ts'
import { endSandboxes, listen, runMessage, startSandbox } from './start-sandbox.ts'

afterEach(endSandboxes)

// What the child does right after it is ready, or during its run.
async function start(deeds: Chunk[], when: 'idle' | 'running') {
  const speech: Speech = when === 'idle' ? { atStart: [ready, { wait: 50 }, ...deeds] } : { onRun: deeds }
  const { sandbox, nextReady } = startSandbox(speakingCommand(speech))
  await nextReady()
  const heard = listen()
  if (when === 'running') {
    sandbox.occupy()
    sandbox.begin(runMessage(''), heard.listener)
  }
  return { sandbox, pid: sandbox.pid ?? 0, ...heard }
}

describe.each(['idle', 'running'] as const)('a sandbox that is %s is killed', when => {
  const cases: [string, Chunk[], string][] = [
    [
      'when it floods its standard error',
      [{ error: 'x'.repeat(65_536), times: 2_000 }],
      'wrote too much to its standard error',
    ],
    ['when it closes its output', [{ close: 1 }], 'closed its output'],
    ['when it sends a line without end', [['x'.repeat(65_536), 2_000]], 'sent a message past the size limit'],
  ]
  test.each(cases)('%s', async (_, deeds, reason) => {
    const { sandbox, pid, reasons } = await start(deeds, when)
    await sandbox.gone
    expect(await findSurvivors([pid])).toEqual([])
    expect(reasons).toEqual(when === 'idle' ? [] : [reason])
  })
})

test('a sandbox that has closed its input is killed when a run cannot be sent to it', async () => {
  // It would not see that the gateway has ended, so it ends by itself.
  const atStart: Chunk[] = [{ close: 0 }, ready, { wait: 3_000 }, { exit: 7 }]
  const { sandbox, nextReady } = startSandbox(speakingCommand({ atStart }))
  await nextReady()
  const { listener, reasons } = listen()
  sandbox.occupy()
  sandbox.begin(runMessage(''), listener)
  await sandbox.gone
  expect(reasons).toEqual(['closed its input'])
})

test('a sandbox that ends while the gateway is busy did not close its output', async () => {
  const death = [logLine('["last words"]'), { close: 1 }, { wait: 200 }, { exit: 7 }]
  const { sandbox, said, reasons } = await start(death, 'running')
  await until(() => said.length > 0)
  await pause(30)
  // Timers come first after this turn.
  await nextTurn()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700)
  await sandbox.gone
  expect(reasons).toEqual(['exited with code 7'])
})

test('a process started by a sandbox delays neither its end nor its run, and dies with it', async () => {
  for (const death of [{ exit: 7 }, 'nonsense\n']) {
    const { sandbox, pid, reasons } = await start([{ fork: true }, { wait: 300 }, death], 'running')
    let family: number[] = []
    await until(() => {
      family = findDescendants(pid)
      return family.length > 0
    })
    await sandbox.gone
    expect(reasons).toEqual([
      death === 'nonsense\n' ? 'sent a message that is not in the protocol' : 'exited with code 7',
    ])
    expect(await findSurvivors([pid, ...family])).toEqual([])
  }
})

test('the last messages of a sandbox are read, and how it ended', async () => {
  const { sandbox, said, reasons } = await start([[logLine('["last words"]'), 50], { exit: 3 }], 'running')
  await sandbox.gone
  expect([said.length, reasons]).toEqual([50, ['exited with code 3']])
})
