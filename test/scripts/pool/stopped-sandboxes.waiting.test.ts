import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, test } from 'vitest'
import { HeldLines } from '../../../src/scripts/launch/held-lines.ts'
import { findSurvivors } from '../../server/processes/child-processes.ts'
import { endSandboxes, listen, runMessage, startSandbox } from '../launch/start-sandbox.ts'
import { exitLine, ready, speakingCommand } from '../run/spoken-tasks.ts'

afterAll(endSandboxes)

// Both wait, so they wait at the same time.
test.concurrent('kills a sandbox that is stopped while it boots, and one stopped while it recovers', {
  timeout: 20_000,
}, async ({ expect }) => {
  const booting = startSandbox(speakingCommand({ atStart: [] }))
  process.kill(booting.sandbox.pid ?? 0, 'SIGSTOP')
  const ended = { type: 'end', run: 'r', ending: { kind: 'exit', payload: '1' } }
  const recovering = startSandbox(speakingCommand({ onRun: [`${JSON.stringify(ended)}\n`] }))
  const begun = performance.now()
  await recovering.nextReady()
  recovering.sandbox.occupy()
  const { listener, over } = listen()
  recovering.sandbox.begin(runMessage(''), listener)
  await over
  process.kill(recovering.sandbox.pid ?? 0, 'SIGSTOP')
  await recovering.sandbox.gone
  expect(performance.now() - begun).toBeLessThan(4_000)
  await booting.sandbox.gone
  expect(performance.now() - begun).toBeGreaterThan(9_500)
  expect(performance.now() - begun).toBeLessThan(11_500)
  expect(await findSurvivors([booting.sandbox.pid ?? 0, recovering.sandbox.pid ?? 0], 100)).toEqual([])
})

// As if the next run kept the process from sending what it holds.
test.concurrent('keeps a sandbox that recovered and still holds its `ready`', async ({
  expect,
  onTestFinished,
}) => {
  const heldLines = new HeldLines(1)
  onTestFinished(() => heldLines.close())
  const begun = `{"type":"begun","run":"r"}\n`
  const command = speakingCommand({ onRun: [begun + exitLine(), { hold: `4 ${ready}` }] })
  const { sandbox, nextReady } = startSandbox(command, undefined, heldLines)
  await nextReady()
  sandbox.occupy()
  const { listener, over } = listen()
  sandbox.begin(runMessage(''), listener)
  await over
  await sleep(2_500)
  expect([sandbox.endReason, sandbox.isRecovering, sandbox.isIdle]).toEqual([null, false, true])
})
