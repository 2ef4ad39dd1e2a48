import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { ScriptLogShare } from '../../../src/fairness/script-log-share.ts'
import { ScriptCalls } from '../../../src/scripts/calls/script-calls.ts'
import { RunLog } from '../../../src/scripts/ending/run-log.ts'
import { type SandboxCommand, sandboxCommand } from '../../../src/scripts/launch/sandbox-command.ts'
import type { RunMessage } from '../../../src/scripts/protocol.ts'
import { runInSandbox } from '../../../src/scripts/run/run-in-sandbox.ts'
import { findSurvivors } from '../../server/processes/child-processes.ts'
import { endSandboxes, listen, runLimits, runMessage, startSandbox } from '../launch/start-sandbox.ts'
import { type Speech, speakingCommand } from './spoken-tasks.ts'
import { silentBoundLog } from './start-tasks.ts'

// Tests each clock alone: the others are removed from the modules that the sandbox receives.

const isolateTimeout = [/\{ timeout: timeoutMs \}/g, '{}'] as const
const wallTimer = [/#startClock\(\) *(: *void)? *\{/g, '$& return;'] as const
const timeoutMs = 300
const graceMs = 250
const limits = { ...runLimits, timeoutMs, cpuMs: 60_000 }

function withoutClocks(...clocks: (readonly [RegExp, string])[]): SandboxCommand {
  const command = sandboxCommand({ limits, isolation: 'run' }, false)
  const line = JSON.parse(command.firstLine)
  for (const [clock, replacement] of clocks) {
    const before = JSON.stringify(line.sources)
    for (const url of Object.keys(line.sources)) {
      line.sources[url] = line.sources[url].replace(clock, replacement)
    }
    expect(JSON.stringify(line.sources)).not.toBe(before)
  }
  return { ...command, firstLine: JSON.stringify(line) }
}

function messageOf(source: string): RunMessage {
  return { ...runMessage(source), timeoutMs }
}

const loop = 'for (;;);'
const wait = "await graphql('never answered')"
const native = "'a'.repeat(2 ** 24).lastIndexOf('a'.repeat(2 ** 23) + 'b')"

describe('in the sandbox', () => {
  afterAll(endSandboxes)

  // Without the gateway's clock, only the sandbox's own messages count.
  async function endingOf(command: SandboxCommand, source: string, withinMs: number) {
    const { sandbox, nextReady } = startSandbox(command)
    await nextReady()
    sandbox.occupy()
    const { listener, said, over } = listen()
    const begun = performance.now()
    sandbox.begin(messageOf(source), listener)
    await Promise.race([over, sleep(withinMs)])
    const end = said.find(message => message.type === 'end')
    const code = end?.ending.kind === 'error' ? end.ending.error.code : null
    return { code, afterMs: performance.now() - begun }
  }

  function expectTimeout({ code, afterMs }: Awaited<ReturnType<typeof endingOf>>): void {
    expect(code).toBe('TIMEOUT')
    expect(afterMs).toBeGreaterThan(timeoutMs - 5)
    expect(afterMs).toBeLessThan(timeoutMs + 400)
  }

  test('the isolate’s timeout alone ends a loop', async () => {
    expectTimeout(await endingOf(withoutClocks(wallTimer), loop, 5_000))
  })

  test('the wall-clock timer alone ends a wait', async () => {
    expectTimeout(await endingOf(withoutClocks(isolateTimeout), wait, 5_000))
  })

  // They last as long as they are watched, so they are watched at the same time.
  test.concurrent.each([
    ['a loop', loop],
    ['native code', native],
    ['a wait', wait],
  ])('nothing else ends %s', async (_, source) => {
    const { code } = await endingOf(withoutClocks(isolateTimeout, wallTimer), source, 1_500)
    expect(code).toBe(null)
  })
})

describe('the gateway', () => {
  afterEach(endSandboxes)

  async function run(command: SandboxCommand, source: string, stopAt: 'idle' | 'running' | null = null) {
    const { sandbox, nextReady } = startSandbox(command)
    const pid = sandbox.pid ?? 0
    await nextReady()
    if (stopAt === 'idle') process.kill(pid, 'SIGSTOP')
    sandbox.occupy()
    const begun = performance.now()
    const ending = runInSandbox({
      sandbox,
      message: messageOf(source),
      log: new RunLog({
        limits,
        system: new ScriptLogShare({ log: silentBoundLog, maxBytes: 0 }).linesOf('a'),
      }),
      limits,
      calls: new ScriptCalls({ limits, answer: () => new Promise(() => undefined) }),
      signal: new AbortController().signal,
      onBegun: () => undefined,
    })
    if (stopAt === 'running') setTimeout(() => process.kill(pid, 'SIGSTOP'), 100)
    const { kind, ...rest } = await ending
    const afterMs = performance.now() - begun
    return {
      kind,
      code: 'error' in rest ? rest.error.code : null,
      afterMs,
      left: await findSurvivors([pid], 1_000),
    }
  }

  const clockless = () => withoutClocks(isolateTimeout, wallTimer)
  const speaking = (speech: Speech) => () => speakingCommand(speech)
  const cases: [string, () => SandboxCommand, string, ('idle' | 'running')?][] = [
    ['a loop that no clock of the sandbox ends', clockless, loop],
    ['native code that no clock of the sandbox ends', clockless, native],
    ['a wait that no clock of the sandbox ends', clockless, wait],
    ['a sandbox that was stopped before its run', clockless, loop, 'idle'],
    [
      'a sandbox that is stopped in its run',
      () => sandboxCommand({ limits, isolation: 'run' }, false),
      wait,
      'running',
    ],
    ['a sandbox whose main loop is stuck', speaking({ onRun: [{ block: true }] }), ''],
    ['a sandbox that says nothing', speaking({ onRun: [] }), ''],
    ['a sandbox that ends no line', speaking({ onRun: ['{"type":"log"'] }), ''],
  ]
  test.each(cases)('answers in time and kills: %s', async (_, command, source, stopAt) => {
    const { kind, code, afterMs, left } = await run(command(), source, stopAt ?? null)
    expect([kind, code, left]).toEqual(['error', 'TIMEOUT', []])
    expect(afterMs).toBeGreaterThan(timeoutMs + graceMs - 5)
    expect(afterMs).toBeLessThan(timeoutMs + graceMs + 200)
  })
})
