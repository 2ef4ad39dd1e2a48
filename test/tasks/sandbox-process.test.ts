import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { RunMessage } from '../../src/tasks/protocol.ts'
import { type SandboxCommand, sandboxCommand } from '../../src/tasks/sandbox-command.ts'
import { type SandboxListener, SandboxProcess } from '../../src/tasks/sandbox-process.ts'
import { findSurvivors } from '../server/child-processes.ts'
import { callLine, exitLine, line, logLine, ready, type Speech, speakingCommand } from './spoken-tasks.ts'

const started: SandboxProcess[] = []

afterEach(async () => {
  for (const sandbox of started) sandbox.kill('the test is over')
  await Promise.all(started.splice(0).map(sandbox => sandbox.gone))
})

function start(command: SandboxCommand) {
  const readiness = [Promise.withResolvers<void>()]
  const sandbox = new SandboxProcess({
    command,
    longestFrameBytes: 100_000,
    mostUnreadBytes: 100_000,
    onReady() {
      readiness.at(-1)?.resolve()
      readiness.push(Promise.withResolvers())
    },
  })
  started.push(sandbox)
  return { sandbox, readyTimes: () => readiness.length - 1, nextReady: () => readiness.at(-1)?.promise }
}

const startOwn = () => start(sandboxCommand({ memoryMb: 32, isolation: 'run' }, false))
const startSpeaking = (speech: Speech) => start(speakingCommand(speech))

function listen() {
  const said: Parameters<SandboxListener['message']>[0][] = []
  const reasons: string[] = []
  const over = Promise.withResolvers<void>()
  const listener: SandboxListener = {
    message(message) {
      said.push(message)
      if (message.type === 'end') over.resolve()
    },
    gone(reason) {
      reasons.push(reason)
      over.resolve()
    },
  }
  return { listener, said, reasons, over: over.promise }
}

function runMessage(source: string): RunMessage {
  return {
    type: 'run',
    run: 'r',
    accountCode: 'alpha',
    source,
    payload: '{}',
    options: '{}',
    requestContext: '{}',
    limits: {
      timeoutMs: 5_000,
      wholeMs: 5_000,
      cpuMs: 5_000,
      residentBytes: 500_000_000,
      resultBytes: 1_000,
      logEntries: 10,
      logBytes: 1_000,
      graphqlCalls: 10,
      callBytes: 1_000,
    },
  }
}

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
        { type: 'log', run: 'r', level: 'info', data: `[${n}]` },
        { type: 'end', run: 'r', ending: { kind: 'exit', payload: String(n) } },
      ])
    }
    expect([sandbox.runs, sandbox.lastAccount, readyTimes()]).toEqual([2, 'alpha', 3])
    expect(sandbox.residentBytes()).toBeGreaterThan(10_000_000)

    const pid = sandbox.pid ?? 0
    sandbox.kill('the test says so')
    await sandbox.gone
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    expect(sandbox.residentBytes()).toBe(null)
  })

  test('that is told to die is not idle any more, before it is gone', async () => {
    const { sandbox, nextReady } = startSpeaking({})
    await nextReady()
    sandbox.kill('the test says so')
    expect([sandbox.isIdle, sandbox.isServing]).toEqual([false, false])
  })

  test('that is given back unused is idle again, and one that was not taken is not given back', async () => {
    const { sandbox, nextReady, readyTimes } = startSpeaking({})
    await nextReady()
    sandbox.occupy()
    sandbox.vacate()
    expect([sandbox.isIdle, readyTimes()]).toEqual([true, 2])
    sandbox.vacate()
    expect(readyTimes()).toBe(2)
  })

  test('that was killed before its run began tells so once', async () => {
    const { sandbox, nextReady } = startSpeaking({ onRun: [exitLine('r')] })
    await nextReady()
    sandbox.occupy()
    sandbox.kill('the test says so')
    const { listener, said, reasons } = listen()
    sandbox.begin(runMessage('exit(1)'), listener)
    await sandbox.gone
    await sleep(20)
    expect([said, reasons]).toEqual([[], ['the test says so']])
  })

  test('that cannot be started is gone, and says why', async () => {
    const { sandbox } = start({ file: '/nowhere/node', args: [], env: {}, firstLine: '' })
    await sandbox.gone
    expect([sandbox.hasBooted, sandbox.isIdle]).toEqual([false, false])
  })

  test('that does not boot leaves its complaint, cut to a sane length', async () => {
    const script = 'process.stderr.write("no room ".repeat(10000)); process.exitCode = 1'
    const { sandbox } = start({ file: process.execPath, args: ['-e', script], env: {}, firstLine: '' })
    await sandbox.gone
    expect(sandbox.complaint).toMatch(/^no room /)
    expect(sandbox.complaint.length).toBeLessThanOrEqual(2_000)
    expect(sandbox.hasBooted).toBe(false)
  })
})

describe('in the middle of a run', () => {
  async function begin(speech: Speech) {
    const { sandbox, nextReady } = startSpeaking(speech)
    await nextReady()
    const heard = listen()
    sandbox.occupy()
    sandbox.begin(runMessage(''), heard.listener)
    return { sandbox, ...heard }
  }

  test.each([
    'SIGKILL',
    'SIGSEGV',
    'SIGTERM',
  ] as const)('a death by %s is told exactly once', async signal => {
    const { sandbox, said, reasons } = await begin({ onRun: [logLine('["before"]')] })
    while (said.length === 0) await sleep(2)
    process.kill(sandbox.pid ?? 0, signal)
    await sandbox.gone
    sandbox.kill('again')
    await sleep(20)
    expect(reasons).toEqual([`was ended by ${signal}`])
    expect(said).toHaveLength(1)
  })

  const outOfProtocol = 'sent a message out of the protocol'
  const outOfTurn = 'said ready out of turn'
  const foreign = 'spoke of a run that is not its own'
  const tooLong = 'sent a message past the size limit'
  const bad: [string, Speech['onRun'] & object, string][] = [
    ['no JSON', ['hello\n'], outOfProtocol],
    ['an empty line', ['\n'], outOfProtocol],
    ['a message of no type', ['{}\n'], outOfProtocol],
    [
      'a message of the gateway',
      [line({ type: 'answer', run: '<run>', call: 1, ok: true, text: '' })],
      outOfProtocol,
    ],
    [
      'a field too many',
      [line({ type: 'log', run: '<run>', level: 'info', data: '[]', account: 'b' })],
      outOfProtocol,
    ],
    [
      'deep JSON',
      [
        ['[', 90_000],
        ['\n', 1],
      ],
      outOfProtocol,
    ],
    ['bytes that are no text', ['\u0000\u0000\n'], outOfProtocol],
    ['a line too long', [logLine(`["${'x'.repeat(100_000)}"]`)], tooLong],
    ['a line without end', [['x'.repeat(1_000), 200]], tooLong],
    ['ready out of turn', [ready], outOfTurn],
    ['a log of another run', [logLine('[]', 'other')], foreign],
    ['a call of another run', [callLine(1, 'other')], foreign],
    ['the end of another run', [exitLine('other')], foreign],
    ['the end of a run by another name', [exitLine('<run> ')], foreign],
  ]

  test.each(bad)('%s is its death, told once and at once', async (_, onRun, reason) => {
    const begun = performance.now()
    const { sandbox, said, reasons, over } = await begin({ onRun })
    const pid = sandbox.pid ?? 0
    await over
    expect(performance.now() - begun).toBeLessThan(2_000)
    expect([said, reasons]).toEqual([[], [reason]])
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  test('nothing is heard of what came behind a bad message', async () => {
    const { said, reasons, over } = await begin({ onRun: [`x\n${logLine('[]')}${exitLine()}${ready}`] })
    await over
    expect([said, reasons]).toEqual([[], [outOfProtocol]])
  })

  test('what is said behind the end is the death of the sandbox, and the run has its end', async () => {
    for (const late of [logLine('[]'), callLine(1), exitLine(), 'x\n']) {
      const { sandbox, said, reasons } = await begin({ onRun: [exitLine() + late] })
      await sandbox.gone
      expect([said.map(message => message.type), reasons]).toEqual([['end'], []])
    }
  })

  test('a child that does not read what it is sent is killed', async () => {
    const { sandbox, reasons, over } = await begin({ reads: false, onRun: [callLine(1)] })
    for (let i = 0; i < 20; i++) {
      sandbox.answer({ type: 'answer', run: 'r', call: 1, ok: true, text: 'x'.repeat(50_000) })
    }
    await over
    expect(reasons).toEqual(['did not read what it was sent'])
  })
})

describe('outside a run', () => {
  test.each([
    ['ready twice', ready + ready],
    ['a log', ready + logLine('[]', 'r')],
    ['an end', ready + exitLine('r')],
    ['nonsense', `${ready}nonsense\n`],
  ])('%s is its death', async (_, text) => {
    const { sandbox, readyTimes } = startSpeaking({ atStart: [text] })
    const pid = sandbox.pid ?? 0
    await sandbox.gone
    expect(readyTimes()).toBe(1)
    expect(await findSurvivors([pid], 100)).toEqual([])
  })

  test('ready twice behind an end is its death, even where it was taken for the next run meanwhile', async () => {
    const heard = listen()
    let readyTimes = 0
    const sandbox = new SandboxProcess({
      command: speakingCommand({ onRun: [exitLine() + ready + ready] }),
      longestFrameBytes: 1_000,
      mostUnreadBytes: 100_000,
      onReady(own) {
        readyTimes++
        own.occupy()
        if (readyTimes === 1) own.begin(runMessage(''), heard.listener)
      },
    })
    started.push(sandbox)
    await sandbox.gone
    expect([readyTimes, heard.said.length, heard.reasons]).toEqual([2, 1, []])
  })

  test('one that ends its run and does not come back is killed within some seconds', async () => {
    const { sandbox, nextReady } = startSpeaking({ onRun: [exitLine()] })
    await nextReady()
    sandbox.occupy()
    const { listener, over } = listen()
    sandbox.begin(runMessage(''), listener)
    await over
    const ended = performance.now()
    await sandbox.gone
    expect(performance.now() - ended).toBeLessThan(4_000)
  })
})
