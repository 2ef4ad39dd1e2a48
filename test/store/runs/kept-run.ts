import { randomUUID } from 'node:crypto'
import type { RunRow } from '../../../src/domain/runs/run-store.ts'

/** A run of the execution endpoint that has ended, with texts that databases stumble on. */
export function keptRun(rest: Partial<RunRow> = {}): RunRow {
  return {
    runId: randomUUID(),
    trigger: 'endpoint',
    event: null,
    name: 'recalculate \0 \ud800',
    functionId: null,
    functionVersion: null,
    caseId: null,
    caseVersion: null,
    txnId: randomUUID(),
    txnSource: 'endpoint|-/x "|now',
    parentRunId: null,
    replayOf: null,
    attempt: 1,
    queuedRunId: null,
    state: 'ended',
    outcome: 'exit',
    byUserId: 7,
    scopes: ['tasks:execute', 'runs:read'],
    startedAt: Date.now(),
    durationMs: 1.8,
    dryRun: false,
    textBytes: { input: 2 },
    texts: { input: '{}', payload: '{"a":"\\u0000\\ud800 \\" \\\\ é 🎉"}' },
    ...rest,
  }
}
