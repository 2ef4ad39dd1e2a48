import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import { BoundLog } from '../../../src/bound-log.ts'
import { ScriptLogShare } from '../../../src/fairness/script-log-share.ts'
import { RunLog } from '../../../src/scripts/ending/run-log.ts'
import { SandboxProcess } from '../../../src/scripts/launch/sandbox-process.ts'
import { ComputingRuns } from '../../../src/scripts/resources/computing-runs.ts'
import type { LongRun } from '../../../src/scripts/resources/long-run.ts'
import { hideRunTokens } from '../../../src/scripts/run/run-tokens.ts'
import { speakingCommand } from './spoken-tasks.ts'

const sandboxes: SandboxProcess[] = []

afterEach(async () => {
  for (const sandbox of sandboxes) sandbox.kill('was ended because its gateway stopped')
  await Promise.all(sandboxes.splice(0).map(sandbox => sandbox.gone))
})

function start({ logEntries = 3, logBytes = 100 } = {}) {
  const lines: Record<string, unknown>[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const command = speakingCommand({})
  const pipeLimits = { maxFrameBytes: 1_000, maxUnreadBytes: 1_000 }
  const sandbox = new SandboxProcess({
    command,
    ...pipeLimits,
    onIdle: () => undefined,
    onLost: () => undefined,
    computing: new ComputingRuns<LongRun>(),
  })
  sandboxes.push(sandbox)
  // With the hook of the gateway's own log.
  const hooks = { streamWrite: hideRunTokens }
  const system = new BoundLog(pino({ level: 'debug', hooks }, stream), { task: 'recalculate', run: 'r' })
  const share = new ScriptLogShare({ log: system, maxBytes: 2 ** 20 })
  return {
    log: new RunLog({ limits: { logEntries, logBytes }, system: share.linesOf('a', system) }),
    lines,
    sandbox,
  }
}

const dataOf = (log: RunLog) => log.entries().map(entry => entry.data)

test('an entry is in the answer and, with its task and run, in the system log', () => {
  const { log, lines, sandbox } = start()
  log.add('warn', '["total",6]', sandbox)
  log.add('debug', '[]', sandbox)
  expect(log.entries()).toEqual([
    { at: expect.any(Date), level: 'warn', data: ['total', 6], bytes: 11 },
    { at: expect.any(Date), level: 'debug', data: [], bytes: 2 },
  ])
  expect(lines).toMatchObject([
    { level: 40, task: 'recalculate', run: 'r', data: ['total', 6] },
    { level: 20, task: 'recalculate', run: 'r', data: [] },
  ])
})

test('an entry cannot forge a line of the system log, nor its fields', () => {
  const { log, lines, sandbox } = start()
  log.add('info', JSON.stringify(['\n{"level":60,"msg":"forged"}\n', { level: 60, run: 'x' }]), sandbox)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({ level: 30, run: 'r' })
})

test('a run token that a script logs is in the answer and not in the system log', () => {
  const { log, lines, sandbox } = start()
  const token = `rrun_${'x'.repeat(43)}`
  log.add('info', JSON.stringify([`Bearer ${token}`, 1]), sandbox)
  expect(dataOf(log)).toEqual([[`Bearer ${token}`, 1]])
  expect(lines).toHaveLength(1)
  expect(JSON.stringify(lines)).not.toContain(token)
})

describe('a dropped entry', () => {
  test('is reported by the last entry, as the sandbox counts it', () => {
    const { log, sandbox } = start()
    log.add('info', '[1]', sandbox)
    log.cut({ type: 'cut', run: 'r', entries: 32, characters: 3_200, isFinal: false }, sandbox)
    log.cut({ type: 'cut', run: 'r', entries: 40, characters: 4_000, isFinal: true }, sandbox)
    expect(dataOf(log)).toEqual([
      [1],
      [
        'The log was cut: 40 more entries (4000 characters) were dropped; a run may log 3 entries and 100 bytes',
      ],
    ])
    expect(log.entries().at(-1)?.level).toBe('warn')
  })

  test('is reported in place of the last entry if the log is full, and that entry is counted', () => {
    const { log, sandbox } = start()
    for (const text of ['[1]', '[2]', '[3]']) log.add('info', text, sandbox)
    expect(dataOf(log)).toEqual([[1], [2], [3]])
    log.cut({ type: 'cut', run: 'r', entries: 7, characters: 70, isFinal: true }, sandbox)
    expect(dataOf(log)).toHaveLength(3)
    expect(dataOf(log).at(-1)?.[0]).toContain('8 more entries')
  })

  test('is reported as a minimum if the sandbox sent no final count', () => {
    const { log, sandbox } = start()
    log.cut({ type: 'cut', run: 'r', entries: 64, characters: 640, isFinal: false }, sandbox)
    expect(dataOf(log).at(-1)?.[0]).toContain('at least 64 more entries (640 characters)')
  })

  test('is counted in bytes, not in characters', () => {
    const { log, sandbox } = start({ logBytes: 60 })
    log.add('info', JSON.stringify(['€'.repeat(10)]), sandbox)
    log.add('info', JSON.stringify(['€'.repeat(10)]), sandbox)
    log.add('info', '[1]', sandbox)
    expect(dataOf(log)).toEqual([
      ['€'.repeat(10)],
      [1],
      [expect.stringContaining('1 more entries (14 characters)')],
    ])
  })

  test('is not mentioned if there is none', () => {
    const { log, sandbox } = start()
    log.add('info', '[1]', sandbox)
    expect(dataOf(log)).toEqual([[1]])
  })
})

describe('a sandbox that breaks the rules of the log is killed', () => {
  test.each([
    ['no JSON', '{'],
    ['no array', '{}'],
    ['null', 'null'],
  ])('%s', async (_, text) => {
    const { log, lines, sandbox } = start()
    log.add('info', text, sandbox)
    await sandbox.gone
    expect([log.entries(), lines]).toEqual([[], []])
  })

  test('an entry past the maximum number, even if it would fit', async () => {
    const { log, sandbox } = start({ logEntries: 3, logBytes: 10 })
    for (let i = 0; i < 4; i++) log.add('info', '[1234567]', sandbox)
    await sandbox.gone
    expect(dataOf(log)).toEqual([[1234567], [expect.stringContaining('2 more entries')]])
  })

  test('more bytes than its characters can have', async () => {
    const { log, sandbox } = start({ logEntries: 100, logBytes: 10 })
    for (let i = 0; i < 4; i++) log.add('info', '[12345678]', sandbox)
    await sandbox.gone
    expect(dataOf(log)).toEqual([[12345678], [expect.stringContaining('2 more entries')]])
  })

  test('data that cannot be serialized again', async () => {
    const { log, sandbox } = start({ logBytes: 10_000 })
    log.add('info', '['.repeat(2_000) + ']'.repeat(2_000), sandbox)
    await sandbox.gone
    expect(log.entries()).toEqual([])
  })

  test('too many counts of dropped entries', async () => {
    const { log, sandbox } = start()
    for (let i = 1; i < 100; i++)
      log.cut({ type: 'cut', run: 'r', entries: i, characters: i, isFinal: false }, sandbox)
    await sandbox.gone
  })

  test('an entry past the maximum number', async () => {
    const { log, sandbox } = start()
    for (let i = 0; i < 4; i++) log.add('info', '[]', sandbox)
    await sandbox.gone
    expect(log.entries()).toHaveLength(3)
  })
})
