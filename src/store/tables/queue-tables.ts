import type { StoredState } from '../../domain/queue/queue-store.ts'
import type { RunHookEvent } from '../../domain/scripts/run-cause.ts'
import type { QueuedTrigger } from '../../domain/scripts/trigger-kinds.ts'
import {
  accountCode,
  accountReference,
  byId,
  id,
  integer,
  nullable,
  type TableDescription,
  text,
  time,
  withDefault,
  words,
} from './describe-table.ts'

/** The tables of queued runs, which are part of all tables of a store. */
export const queueTables = {
  /**
   * Accounts with queued runs. A change of an account's queue locks its row first. `dueAt`: no later than the next
   * claimable run; null without one. Accounts are served in its order. `waitingBytes` is the sum of `waitingBytes` of
   * the inputs.
   */
  queueAccounts: {
    columns: {
      accountCode,
      lastId: integer,
      waiting: integer,
      waitingBytes: withDefault(integer, 0),
      dueAt: nullable(time),
    },
    key: ['accountCode'],
    indexes: { queue_accounts_by_due: ['dueAt'] },
    references: [accountReference],
  },

  /**
   * The inputs of queued runs. Runs of one commit with the same input share its row. These `runs` have consecutive ids,
   * and the row has the id of the first one. `waitingBytes` is `bytes` while one of them waits or runs, else 0. The
   * input is deleted with the last of its runs.
   */
  queuedInputs: {
    columns: {
      accountCode,
      id,
      runs: integer,
      bytes: integer,
      waitingBytes: integer,
      input: text(),
      options: text(),
    },
    key: byId,
    references: [accountReference],
  },

  /** Queued runs, by their ids in the order of the commits. */
  queuedRuns: {
    columns: {
      accountCode,
      id,
      state: text<StoredState>(),
      trigger: text<QueuedTrigger>(),
      event: nullable(text<RunHookEvent>()),
      triggerId: withDefault(integer, 0),
      functionId: integer,
      name: text(),
      caseTypeCode: nullable(text()),
      caseId: nullable(integer),
      caseVersion: nullable(integer),
      // Runs of a lane go one after the other. Null for a run of no lane, and for a dead one.
      lane: nullable(text()),
      txnId: text(),
      generation: integer,
      // As JSON, because a name may have characters that a database refuses.
      causedBy: text(),
      scopes: words,
      attempt: integer,
      dueAt: time,
      // The time from which the run can be claimed: when it is due, or when the lease of its holder ends. Null for
      // other states.
      claimAt: nullable(time),
      holder: nullable(text()),
      lastError: nullable(text()),
      createdAt: withDefault(time, 'clock'),
      inputId: withDefault(integer, 0),
    },
    key: byId,
    indexes: {
      queued_runs_by_claim: ['accountCode', 'claimAt', 'id'],
      queued_runs_by_lane: ['accountCode', 'lane', 'state', 'id'],
      queued_runs_by_state: ['accountCode', 'state', 'id'],
    },
    references: [accountReference],
  },
} as const satisfies Readonly<Record<string, TableDescription>>
