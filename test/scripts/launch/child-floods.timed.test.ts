import { afterEach, describe, expect, test } from 'vitest'
import {
  type Chunk,
  logLine,
  ready,
  type Speech,
  speakingCommand,
  startSpokenTasks,
} from '../run/spoken-tasks.ts'
import { wordOf } from '../run/start-tasks.ts'
import { endSandboxes, listen, runMessage, startSandbox } from './start-sandbox.ts'

afterEach(endSandboxes)

const secondOfProcessor = 1_000_000

describe.each(['idle', 'running'] as const)('a sandbox that is %s costs the gateway little', when => {
  const floods: [string, Chunk][] = [
    ['when it floods its standard error', { error: 'x'.repeat(65_536), times: 2_000 }],
    ['when it sends a line without end', ['x'.repeat(65_536), 2_000]],
  ]
  test.each(floods)('%s', async (_, flood) => {
    const speech: Speech = when === 'idle' ? { atStart: [ready, { wait: 50 }, flood] } : { onRun: [flood] }
    const begun = performance.now()
    const before = process.cpuUsage()
    const { sandbox, nextReady } = startSandbox(speakingCommand(speech))
    await nextReady()
    if (when === 'running') {
      sandbox.occupy()
      sandbox.begin(runMessage(''), listen().listener)
    }
    await sandbox.gone
    expect(performance.now() - begun).toBeLessThan(3_000)
    expect(process.cpuUsage(before).user).toBeLessThan(secondOfProcessor)
  })
})

test('100,000 log lines of a sandbox that was taken over cost the gateway little', async () => {
  const { run, pool } = startSpokenTasks({
    speech: { onRun: [[logLine(JSON.stringify(['x'.repeat(2_000)])), 100_000]] },
    settings: { ROSTRUM_TASK_LOG_BYTES: '10000', ROSTRUM_TASK_LOG_ENTRIES: '50' },
  })
  const before = process.cpuUsage()
  expect(wordOf(await run())).toBe('CRASHED')
  expect(process.cpuUsage(before).user).toBeLessThan(secondOfProcessor)
  await pool.close()
})
