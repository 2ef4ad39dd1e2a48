import { deepStrictEqual } from 'node:assert'
import { expect } from 'vitest'
import type { ScriptAnswer } from '../running-scripts/script-doors.ts'
import { depthOfRuns, type LogRecord, readLogRecords } from '../running-scripts/script-log.ts'
import { accountCodes, type Happenings } from '../running-scripts/script-stage.ts'
import type { Expectation } from './corpus-lines.ts'

/** All that was seen of one line that went through one door. */
export interface Seen {
  readonly answer: ScriptAnswer
  readonly happenings: Happenings
  /** Most bytes that any one process of the gateway's held. */
  readonly peakBytes: number
  /** Operations that the test itself sent meanwhile: what else was executed, scripts called. */
  readonly operations: number
  /** Texts that no other server may be sent. */
  readonly secrets: readonly string[]
}

type Check = (seen: Seen, expected: unknown, expectation: Expectation) => void

const mebibyte = 2 ** 20
const most = (actual: number, expected: unknown) => expect(actual).toBeLessThanOrEqual(Number(expected))
const logsOf = ({ answer }: Seen) => answer.execution?.logs ?? []

// A run that ended otherwise, where the line allows that, has no result and no message.
const checks: Readonly<Record<string, Check>> = {
  outcome({ answer }, expected, { httpStatus = [] }) {
    if (!httpStatus.includes(answer.status))
      expect(expected, answer.text.slice(0, 500)).toContain(answer.outcome)
  },
  httpStatus({ answer }, expected, { outcome = [] }) {
    if (!outcome.includes(answer.outcome)) expect(expected).toContain(answer.status)
  },
  result({ answer }, expected) {
    // `toStrictEqual` takes a field `constructor` for a class.
    if (answer.outcome === 'exit') deepStrictEqual(answer.execution?.payload, expected)
  },
  message({ answer }, expected) {
    if (answer.outcome === 'fail') expect(answer.execution?.message).toBe(expected)
  },
  maxMs: ({ answer }, expected) => most(answer.tookMs, expected),
  logs: (seen, expected) => expect(logsOf(seen).map(entry => entry.data)).toStrictEqual(expected),
  notContains: ({ answer }, expected) => expect(answer.text).not.toContain(expected),
  maxResponseBytes: ({ answer }, expected) => most(Buffer.byteLength(answer.text), expected),
  maxStoredLogEntries: (seen, expected) => most(logsOf(seen).length, expected),
  maxStoredLogBytes: (seen, expected) => most(Buffer.byteLength(JSON.stringify(logsOf(seen))), expected),
  canaryConnections: ({ happenings }, expected) => expect(happenings.canaryConnections).toBe(expected),
  authHeaderLeaked({ happenings, secrets }, expected) {
    const leaked = happenings.canaryRequests.filter(({ headers }) =>
      secrets.some(secret => JSON.stringify(headers).includes(secret)),
    )
    expect(leaked.length > 0).toBe(expected)
  },
  upstreamCalls: ({ happenings: { before, after }, operations }, expected) =>
    expect(after.executions - before.executions - operations).toBe(expected),
  maxConcurrentUpstream: ({ happenings, operations }, expected) =>
    most(happenings.after.maxExecutionsAtOnce - operations, expected),
  maxDepth: ({ happenings }, expected) => most(depthOfRuns(readLogRecords(happenings.written)), expected),
  hostPeakRssMB: ({ peakBytes }, expected) => most(peakBytes / mebibyte, expected),
  hostObjectPrototypeClean: ({ happenings }, expected) =>
    expect(happenings.after.newPrototypeKeys.length === 0).toBe(expected),
  hostStdoutMustNotContain: ({ happenings }, expected) => expect(happenings.written).not.toContain(expected),
  hostLogLines(seen, expected) {
    const isOfScript = ({ msg }: LogRecord) => msg === 'log of a script'
    const records = readLogRecords(seen.happenings.written).filter(isOfScript)
    expect(records).toHaveLength(Number(expected))
    for (const { account, run } of records)
      expect({ account, run }).toEqual({ account: accountCodes.A, run: seen.answer.execution?.id })
    expect(records.map(record => record.data)).toEqual(logsOf(seen).map(entry => entry.data))
  },
  note: () => undefined,
}

/** Checks every key of the expectation; a key that nothing checks is a failure. */
export function checkExpectation(seen: Seen, expectation: Expectation): void {
  for (const [key, expected] of Object.entries(expectation)) {
    const check = checks[key]
    if (check === undefined) throw new Error(`Nothing checks \`${key}\`: give it a check in \`checks\``)
    check(seen, expected, expectation)
  }
}

const countingKeys = [
  'upstreamCalls',
  'maxConcurrentUpstream',
  'maxDepth',
  'hostLogLines',
  'hostStdoutMustNotContain',
]

/** True where a line's numbers would be spoiled by anything that runs beside it. */
export function mustRunAlone(expectation: Expectation): boolean {
  return countingKeys.some(key => key in expectation)
}
