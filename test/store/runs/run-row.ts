import { randomUUID } from 'node:crypto'
import type { RunRow } from '../../../src/domain/runs/run-store.ts'

/** A kept run of a post-save hook, which has ended. */
export function runRow(rest: Partial<RunRow> = {}): RunRow {
  return {
    runId: randomUUID(),
    trigger: 'hook',
    event: 'post-save',
    name: 'notify',
    functionId: 1,
    functionVersion: null,
    caseId: 1,
    caseVersion: 1,
    txnId: randomUUID(),
    txnSource: 'x',
    parentRunId: null,
    replayOf: null,
    attempt: 1,
    queuedRunId: null,
    state: 'ended',
    outcome: 'exit',
    byUserId: null,
    scopes: [],
    startedAt: 1,
    durationMs: 1,
    dryRun: false,
    textBytes: {},
    texts: {},
    ...rest,
  }
}
