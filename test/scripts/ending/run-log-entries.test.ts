import { expect, test } from 'vitest'
import type { LogEntry } from '../../../src/domain/scripts/run.ts'
import { RunLog } from '../../../src/scripts/ending/run-log.ts'
import type { SandboxProcess } from '../../../src/scripts/launch/sandbox-process.ts'

function startLog(logEntries = 10) {
  const kills: string[] = []
  const followed: LogEntry[] = []
  const log = new RunLog({
    limits: { logEntries, logBytes: 1_000 },
    system: { write: () => undefined },
    onEntry: entry => followed.push(entry),
  })
  const sandbox = { kill: (reason: string) => kills.push(reason) } as unknown as SandboxProcess
  return { log, kills, followed, add: (text: string, at?: number) => log.add('info', text, sandbox, at) }
}

test('an entry has a time within its run, whatever the sandbox says', () => {
  const before = Date.now()
  const { log, add } = startLog()
  add('[1]', before - 60_000)
  add('[2]', before + 60_000)
  const times = log.entries().map(({ at }) => at.getTime())
  expect(times).toHaveLength(2)
  for (const time of times) {
    expect(time).toBeGreaterThanOrEqual(before)
    expect(time).toBeLessThanOrEqual(Date.now())
  }
})

test('the follower of a run does not hear of an entry that the report of a cut may replace', () => {
  const { log, followed, add } = startLog(2)
  add('[1]')
  add('[2]')
  expect([followed.map(({ data }) => data), log.entries().length]).toEqual([[[1]], 2])
})

test.each(['{}', '[1', '[1,\n2]', '[1]\r'])('a sandbox that logs %j is killed', text => {
  const { log, kills, add } = startLog()
  add(text)
  expect([kills, log.entries()]).toEqual([['logged past the limits'], []])
})
