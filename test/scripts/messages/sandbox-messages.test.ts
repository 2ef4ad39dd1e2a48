import { afterEach, describe, expect, test } from 'vitest'
import { findSurvivors } from '../../server/processes/child-processes.ts'
import { until } from '../../server/processes/until.ts'
import { endSandboxes, listen, runMessage, startSandbox } from '../launch/start-sandbox.ts'
import {
  callLine,
  exitLine,
  line,
  logLine,
  ready,
  type Speech,
  speakingCommand,
} from '../run/spoken-tasks.ts'

afterEach(endSandboxes)

const startSpeaking = (speech: Speech) => startSandbox(speakingCommand(speech))

describe('in the middle of a run', () => {
  async function begin(speech: Speech) {
    const { sandbox, nextReady } = startSpeaking(speech)
    await nextReady()
    const heard = listen()
    sandbox.occupy()
    sandbox.begin(runMessage(''), heard.listener)
    return { sandbox, ...heard }
  }

  test.each(['SIGKILL', 'SIGSEGV', 'SIGTERM'] as const)(
    'a death by %s is reported exactly once',
    async signal => {
      const { sandbox, said, reasons } = await begin({ onRun: [logLine('["before"]')] })
      await until(() => said.length > 0)
      process.kill(sandbox.pid ?? 0, signal)
      await sandbox.gone
      sandbox.kill('was ended because its gateway stopped')
      expect(reasons).toEqual([`was ended by ${signal}`])
      expect(said).toHaveLength(1)
    },
  )

  const outOfProtocol = 'sent a message that is not in the protocol'
  const outOfTurn = 'sent `ready` out of order'
  const foreign = 'sent a message of another run'
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

  test.each(bad)('%s kills it, and the run hears of it once', async (_, onRun, reason) => {
    const { sandbox, said, reasons, over } = await begin({ onRun })
    const pid = sandbox.pid ?? 0
    await over
    expect([said, reasons]).toEqual([[], [reason]])
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  test('messages after a bad one are ignored', async () => {
    const { said, reasons, over } = await begin({ onRun: [`x\n${logLine('[]')}${exitLine()}${ready}`] })
    await over
    expect([said, reasons]).toEqual([[], [outOfProtocol]])
  })

  test('a message after the end kills the sandbox, and the run keeps its ending', async () => {
    for (const late of [logLine('[]'), callLine(1), exitLine(), 'x\n']) {
      const { sandbox, said, reasons } = await begin({ onRun: [exitLine() + late] })
      await sandbox.gone
      expect([said.map(message => message.type), reasons]).toEqual([['end'], []])
    }
  })

  test('a child that does not read its input is killed', async () => {
    const { sandbox, reasons, over } = await begin({ reads: false, onRun: [callLine(1)] })
    for (let i = 0; i < 20; i++) {
      sandbox.answer({ type: 'answer', run: 'r', call: 1, ok: true, text: 'x'.repeat(50_000) })
    }
    await over
    expect(reasons).toEqual(['did not read its input'])
  })
})

describe('outside a run', () => {
  test.each([
    ['ready twice', ready + ready],
    ['a log', ready + logLine('[]', 'r')],
    ['an end', ready + exitLine('r')],
    ['nonsense', `${ready}nonsense\n`],
  ])('%s kills it', async (_, text) => {
    const { sandbox, readyTimes } = startSpeaking({ atStart: [text] })
    const pid = sandbox.pid ?? 0
    await sandbox.gone
    expect(readyTimes()).toBe(1)
    expect(await findSurvivors([pid])).toEqual([])
  })

  test('a second `ready` after an end kills it, even if it was already taken for the next run', async () => {
    const heard = listen()
    let readyTimes = 0
    const { sandbox } = startSandbox(speakingCommand({ onRun: [exitLine() + ready + ready] }), own => {
      readyTimes++
      own.occupy()
      if (readyTimes === 1) own.begin(runMessage(''), heard.listener)
    })
    await sandbox.gone
    expect([readyTimes, heard.said.length, heard.reasons]).toEqual([2, 1, []])
  })

  test('a sandbox that does not become ready after its run is killed', async () => {
    const { sandbox, nextReady } = startSpeaking({ onRun: [exitLine()] })
    await nextReady()
    sandbox.occupy()
    const { listener, over } = listen()
    sandbox.begin(runMessage(''), listener)
    await over
    await sandbox.gone
  })
})
