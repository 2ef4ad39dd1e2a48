import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { sandboxCommand } from '../../../src/scripts/launch/sandbox-command.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { exitLine, type Speech, speakingCommand } from '../run/spoken-tasks.ts'
import { endSandboxes, listen, runLimits, runMessage, startSandbox } from './start-sandbox.ts'

afterEach(endSandboxes)

const startOwn = () =>
  startSandbox(sandboxCommand({ limits: { ...runLimits, memoryMb: 32 }, isolation: 'run' }, false))
const startSpeaking = (speech: Speech) => startSandbox(speakingCommand(speech))

describe('a sandbox', () => {
  test('boots, runs one script after another, and is gone when killed', async () => {
    const { sandbox, nextReady, readyTimes } = startOwn()
    expect([sandbox.isBooting, sandbox.isIdle, sandbox.isServing]).toEqual([true, false, false])
    await nextReady()
    expect([sandbox.isBooting, sandbox.isIdle, sandbox.isServing]).toEqual([false, true, true])
    for (const n of [1, 2]) {
      const { listener, said, over } = listen()
      const again = nextReady()
      sandbox.occupy()
      expect(sandbox.isIdle).toBe(false)
      sandbox.begin(runMessage(`log(${n}); exit(${n})`), listener)
      await over
      await again
      expect(said).toEqual([
        { type: 'log', run: 'r', level: 'info', data: `[${n}]`, at: expect.any(Number) },
        { type: 'end', run: 'r', ending: { kind: 'exit', payload: String(n) } },
      ])
    }
    expect([sandbox.runs, sandbox.lastAccount, readyTimes()]).toEqual([2, 'alpha', 3])
    expect(sandbox.residentBytes()).toBeGreaterThan(10_000_000)

    const pid = sandbox.pid ?? 0
    sandbox.kill('was ended because its gateway stopped')
    await sandbox.gone
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    expect(sandbox.residentBytes()).toBe(null)
  })

  test('that is killed is no longer idle, even before it is gone', async () => {
    const { sandbox, nextReady } = startSpeaking({})
    await nextReady()
    sandbox.kill('was ended because its gateway stopped')
    expect([sandbox.isIdle, sandbox.isServing]).toEqual([false, false])
  })

  test('that is returned unused is idle again, and one that was not taken cannot be returned', async () => {
    const { sandbox, nextReady, readyTimes } = startSpeaking({})
    await nextReady()
    sandbox.occupy()
    sandbox.vacate()
    expect([sandbox.isIdle, readyTimes()]).toEqual([true, 2])
    sandbox.vacate()
    expect(readyTimes()).toBe(2)
  })

  test('that was killed before its run began does not begin it', async () => {
    const { sandbox, nextReady } = startSpeaking({ onRun: [exitLine('r')] })
    await nextReady()
    sandbox.occupy()
    sandbox.kill('was ended because its gateway stopped')
    const { listener, said, reasons } = listen()
    expect(sandbox.begin(runMessage('exit(1)'), listener)).toBe(false)
    await sandbox.gone
    expect([said, reasons]).toEqual([[], []])
  })

  test('that has booted in time is kept, however late a busy gateway reads so', async () => {
    const folder = makeTempFolder()
    onTestFinished(folder.remove)
    const mark = join(folder.path, 'booted')
    const script = 'echo \'{"type":"ready"}\'; : > "$0"; while read -r line; do :; done'
    // The rest happens in the turn of a timer, so that nothing is read before the time is over.
    await sleep(1)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { sandbox } = startSandbox({ file: 'sh', args: ['-c', script, mark], env: {}, firstLine: '' })
    while (!existsSync(mark)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    vi.advanceTimersByTime(10_000)
    vi.useRealTimers()
    await new Promise(setImmediate)
    expect([sandbox.endReason, sandbox.isIdle]).toEqual([null, true])
  })

  test('that cannot be started is gone, and says why', async () => {
    const { sandbox } = startSandbox({ file: '/nowhere/node', args: [], env: {}, firstLine: '' })
    await sandbox.gone
    expect([sandbox.hasBooted, sandbox.isIdle]).toEqual([false, false])
  })

  test('that does not boot leaves its standard error, cut to a maximum', async () => {
    const script = 'process.stderr.write("no room ".repeat(10000)); process.exitCode = 1'
    const { sandbox } = startSandbox({ file: process.execPath, args: ['-e', script], env: {}, firstLine: '' })
    await sandbox.gone
    expect(sandbox.stderrText).toMatch(/^no room /)
    expect(sandbox.stderrText.length).toBeLessThanOrEqual(2_000)
    expect(sandbox.hasBooted).toBe(false)
  })
})
