import type { Page } from '../port.ts'
import type { RunHookEvent } from '../scripts/run-cause.ts'
import type { RunOutcome, RunState } from '../scripts/run-record.ts'
import type { RunTrigger } from '../scripts/trigger-kinds.ts'

/** The long values of a run, each a JSON text that is read apart from the run. */
export const runTexts = [
  'input',
  'options',
  'source',
  'payload',
  'message',
  'error',
  'logs',
  'calls',
] as const

/** Those that are kept apart from the run, and deleted before it. */
export const runInputTexts = ['input', 'options', 'source'] as const satisfies readonly RunText[]

export type RunText = (typeof runTexts)[number]
export type RunInputText = (typeof runInputTexts)[number]

/** The bytes of each long value that was kept. */
export type RunTextBytes = Readonly<Partial<Record<RunText, number>>>

/** A stored run (contract, section 7). */
export interface StoredRun {
  /** 1, 2, 3 and so on within the account, in the order in which runs were written. */
  readonly id: number
  readonly runId: string
  readonly trigger: RunTrigger
  readonly event: RunHookEvent | null
  readonly name: string
  readonly functionId: number | null
  readonly functionVersion: string | null
  readonly caseId: number | null
  readonly caseVersion: number | null
  readonly txnId: string
  readonly txnSource: string
  readonly parentRunId: string | null
  readonly replayOf: string | null
  readonly attempt: number
  /** The queued run whose attempt it is. */
  readonly queuedRunId: number | null
  readonly state: RunState
  readonly outcome: RunOutcome | null
  readonly byUserId: number | null
  readonly scopes: readonly string[]
  readonly startedAt: number
  readonly durationMs: number | null
  readonly dryRun: boolean
  readonly textBytes: RunTextBytes
}

export type RunTexts = Readonly<Partial<Record<RunText, string>>>

export interface RunRow extends Omit<StoredRun, 'id'> {
  readonly texts: RunTexts
}

/** A run in both lists is ended if the store has it as `running`, and inserted if the store does not have it. */
export interface RunWrites {
  /** Runs that are not in the store yet. */
  readonly inserts: readonly RunRow[]
  /** Runs that were inserted as `running` and have ended. */
  readonly ends: readonly RunRow[]
}

/** A member that is null does not filter. */
export interface RunFilter {
  readonly runId: string | null
  /** The name begins with this text. */
  readonly nameStart: string | null
  readonly functionId: number | null
  readonly functionVersion: string | null
  readonly trigger: RunTrigger | null
  readonly caseId: number | null
  readonly txnId: string | null
  readonly outcome: RunOutcome | null
  readonly state: RunState | null
  /** Both exclusive, in milliseconds since 1970. */
  readonly startedAfter: number | null
  readonly startedBefore: number | null
  /** The id of the run that they replay. */
  readonly replayOf: string | null
}

/** The filter that every run passes. */
export const allRuns: RunFilter = {
  runId: null,
  nameStart: null,
  functionId: null,
  functionVersion: null,
  trigger: null,
  caseId: null,
  txnId: null,
  outcome: null,
  state: null,
  startedAfter: null,
  startedBefore: null,
  replayOf: null,
}

export interface RunLook {
  readonly runs: readonly StoredRun[]
  /** The next look continues before the run with this id. Null if no more runs match. */
  readonly next: number | null
}

/** Runs that started before a time, in milliseconds since 1970, or past the newest ones of their account. */
export interface OldRuns {
  readonly startedBefore: number
  readonly maxRuns: number
  /** Maximum bytes of their long values. */
  readonly maxBytes: number
}

export interface RunStore {
  /** Writes the runs of one account in one transaction. */
  write(accountCode: string, gateway: string, writes: RunWrites): Promise<void>
  /**
   * Up to `limit` runs with ids before this one (null: from the newest), the newest first, among a bounded number of
   * rows.
   */
  look(accountCode: string, filter: RunFilter, before: number | null, limit: number): Promise<RunLook>
  findByRunIds(accountCode: string, runIds: readonly string[]): Promise<StoredRun[]>
  pageByFunctions(accountCode: string, functionIds: readonly number[], page: Page): Promise<StoredRun[]>
  pageByCases(accountCode: string, caseIds: readonly number[], page: Page): Promise<StoredRun[]>
  /** The kept attempts of queued runs. */
  pageByQueuedRuns(accountCode: string, queuedRunIds: readonly number[], page: Page): Promise<StoredRun[]>
  /** One kind of long value of each of these runs. */
  findTexts(
    accountCode: string,
    kind: RunText,
    ids: readonly number[],
  ): Promise<{ readonly id: number; readonly text: string | null }[]>
  /** Returns the time of the store's clock in milliseconds since 1970. The clock of a gateway may be wrong. */
  readClock(): Promise<number>
  /**
   * Records that the gateway is alive. Returns true if it is the one that sweeps. A store that only one gateway can
   * serve deletes all other gateways.
   */
  beat(gateway: string, leaseMs: number): Promise<boolean>
  /** Marks running runs as `lost` if their gateway has sent no sign of life for `leaseMs`. */
  markLost(leaseMs: number): Promise<void>
  /** Deletes up to `limit` runs that are past one of these bounds. Returns their number. */
  deleteExpired(past: OldRuns, limit: number): Promise<number>
  deleteExpiredInputs(startedBefore: number, limit: number): Promise<number>
  /** Deletes up to `limit` functions that were removed `ageMs` ago and that no run refers to. Returns their number. */
  deleteRemovedFunctions(ageMs: number, limit: number): Promise<number>
  /** True if other gateways can use the same store. */
  readonly isShared: boolean
}
