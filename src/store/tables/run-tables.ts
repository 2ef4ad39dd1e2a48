import type { RunTextBytes } from '../../domain/runs/run-store.ts'
import type { RunHookEvent } from '../../domain/scripts/run-cause.ts'
import type { RunOutcome, RunState } from '../../domain/scripts/run-record.ts'
import type { RunTrigger } from '../../domain/scripts/trigger-kinds.ts'
import {
  accountCode,
  accountReference,
  byId,
  flag,
  id,
  integer,
  json,
  nullable,
  type TableDescription,
  tenths,
  text,
  time,
  withDefault,
  words,
} from './describe-table.ts'

/** The tables of runs, which are part of all tables of a store. */
export const runTables = {
  /** Runs of scripts. Their long values are in other tables, so that reading many runs is cheap. */
  runs: {
    columns: {
      accountCode,
      id,
      runId: text(),
      state: text<RunState>(),
      outcome: nullable(text<RunOutcome>()),
      trigger: text<RunTrigger>(),
      event: nullable(text<RunHookEvent>()),
      // As JSON, because a caller's name may have characters that a database refuses.
      name: json<string>('runId'),
      functionId: nullable(integer),
      functionVersion: nullable(text()),
      caseId: nullable(integer),
      caseVersion: nullable(integer),
      txnId: text(),
      txnSource: json<string>('runId'),
      parentRunId: nullable(text()),
      replayOf: nullable(text()),
      attempt: integer,
      queuedRunId: nullable(integer),
      byUserId: nullable(integer),
      scopes: words,
      startedAt: integer,
      // In milliseconds.
      duration: nullable(tenths),
      dryRun: flag,
      textBytes: json<RunTextBytes>('runId'),
      // Bytes of the long values of all runs of the account that were written before this one.
      bytesBefore: withDefault(integer, 0),
      gateway: text(),
    },
    key: byId,
    uniqueIndexes: { runs_by_run_id: ['accountCode', 'runId'] },
    indexes: {
      runs_by_transaction: ['accountCode', 'txnId', 'id'],
      runs_by_outcome: ['accountCode', 'outcome', 'id'],
      runs_by_state: ['state', 'accountCode', 'id'],
      runs_by_age: ['startedAt'],
    },
    // Most runs are of a script that came with its request: they are in none of these.
    sparseIndexes: {
      runs_by_function: { columns: ['accountCode', 'functionId', 'id'], of: 'functionId' },
      runs_by_version: { columns: ['accountCode', 'functionVersion', 'id'], of: 'functionVersion' },
      runs_by_case: { columns: ['accountCode', 'caseId', 'id'], of: 'caseId' },
      runs_by_queued_run: { columns: ['accountCode', 'queuedRunId', 'id'], of: 'queuedRunId' },
      runs_by_replayed: { columns: ['accountCode', 'replayOf', 'id'], of: 'replayOf' },
    },
    references: [accountReference],
  },

  /** Input and options, as JSON, and which source came with the request. They are deleted before the run. */
  runInputs: {
    columns: {
      accountCode,
      id,
      startedAt: integer,
      input: nullable(text()),
      options: nullable(text()),
      sourceHash: nullable(text()),
    },
    key: byId,
    indexes: { run_inputs_by_age: ['startedAt'] },
    sparseIndexes: { run_inputs_by_source: { columns: ['accountCode', 'sourceHash'], of: 'sourceHash' } },
    references: [accountReference],
  },

  /**
   * Sources that came with requests, as JSON, each once for all runs of its account. A source is deleted with the last
   * input that names it. `hash` is the SHA-256 of the JSON, in hexadecimal digits. Sources that were kept before this
   * table have `run` and the id of their run instead.
   */
  runSources: {
    columns: { accountCode, hash: text(), source: text() },
    key: ['accountCode', 'hash'],
    references: [accountReference],
  },

  /** Output of a run, as JSON. */
  runOutputs: {
    columns: {
      accountCode,
      id,
      payload: nullable(text()),
      message: nullable(text()),
      error: nullable(text()),
      logs: nullable(text()),
      calls: nullable(text()),
    },
    key: byId,
    references: [accountReference],
  },

  /** Gateways of the store, under an empty account code, and the time of its last sign of life. */
  gateways: {
    columns: { accountCode, id: text(), seenAt: withDefault(time, 'clock') },
    key: ['accountCode', 'id'],
  },
} as const satisfies Readonly<Record<string, TableDescription>>
