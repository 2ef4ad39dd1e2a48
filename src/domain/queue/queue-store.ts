import type { Origin, RowStore } from '../port.ts'
import type { CommittedRuns } from '../runs/deferred-runs.ts'
import type { RunError } from '../scripts/run.ts'
import type { RunHookEvent } from '../scripts/run-cause.ts'
import type { QueuedTriggerRef } from '../scripts/trigger-kinds.ts'
import type { HeldRun } from './held-runs.ts'

export type QueuedRunState = 'waiting' | 'running' | 'dead'

/** `blocked`: waits for an earlier run of its lane. Callers see it as `waiting`. */
export type StoredState = QueuedRunState | 'blocked'

/** Who caused a run, as data for its script. Its rights are its scopes alone. */
export interface CausedBy {
  readonly userId: number | null
  readonly subject: string | null
  readonly email: string | null
  readonly displayName: string | null
}

interface QueuedFacts extends QueuedTriggerRef {
  /** Null for other triggers than hooks. */
  readonly event: RunHookEvent | null
  readonly functionId: number
  /** The name of the function, or of a trigger that has a name, for `txnSource`. */
  readonly name: string
  readonly caseTypeCode: string | null
  readonly caseId: number | null
  /** The committed version. */
  readonly caseVersion: number | null
  readonly txnId: string
  /** 0 for a run that a request causes, and one more for each hook in between. */
  readonly generation: number
}

/**
 * A run to be queued, with the input frozen (contract, section 8). The runs of one hook on one case are a lane: they
 * run in their order.
 */
export interface NewQueuedRun extends QueuedFacts {
  readonly causedBy: CausedBy
  readonly scopes: readonly string[]
  /** The payload, as JSON. */
  readonly input: string
  /** The options, as a JSON object. */
  readonly options: string
}

export interface QueuedRun extends QueuedFacts {
  /** 1, 2, 3 and so on within the account, in the order of the commits. */
  readonly id: number
  readonly state: QueuedRunState
  /** From 1. The attempt that runs, or the next one; of a dead run the last one. */
  readonly attempt: number
  readonly dueAt: Date
  readonly lastError: RunError | null
}

/** A run that a holder has for the time of its lease. */
export interface ClaimedRun extends NewQueuedRun {
  readonly accountCode: string
  readonly id: number
  readonly attempt: number
  readonly holder: string
}

export interface ClaimRequest {
  /** Names this claim. It is never used twice. */
  readonly holder: string
  readonly leaseMs: number
  readonly maxRuns: number
  readonly retryAfterMs: RetryAfterMs
  /** Accounts whose runs are left out. None by default. */
  readonly leftOut?: readonly string[]
  /** Maximum number of runs of one account. By default the maximum of all accounts together. */
  readonly maxRunsOf?: (accountCode: string) => number
}

/** The time until the next attempt of a run whose attempt with this number went wrong; null if it was the last one. */
export type RetryAfterMs = (attempt: number) => number | null

/** A claim in the transaction that ends attempts. */
export interface NextClaim extends ClaimRequest {
  /** False claims only if an end lets another run go on. */
  readonly always: boolean
}

export interface Claim {
  readonly runs: readonly ClaimedRun[]
  /** Time until the next run of an account that is not left out can be claimed; null if none waits. */
  readonly nextInMs: number | null
  /** Accounts that got their maximum: more of their runs may be due. */
  readonly leftOut: readonly string[]
  /** Runs that are dead now: the lease of their last attempt has ended, or their rows cannot be read. */
  readonly dead: readonly DeadRun[]
}

/** What is reported of a run that is dead. */
export interface DeadRun
  extends Pick<
    ClaimedRun,
    'accountCode' | 'id' | 'trigger' | 'triggerId' | 'functionId' | 'name' | 'caseId'
  > {
  /** The code of its last error; `FAIL` if the script called `fail`. */
  readonly code: string
}

/** How an attempt ended: done, released (the attempt does not count), to be run again, or dead. */
export interface QueuedEnd extends HeldRun {
  readonly end:
    | { readonly kind: 'done' }
    | { readonly kind: 'released' }
    | { readonly kind: 'again'; readonly afterMs: number; readonly error: RunError }
    | { readonly kind: 'dead'; readonly error: RunError; readonly isFail?: boolean }
  /** The run of the attempt, which is kept in the same commit; null if none began. */
  readonly runs: CommittedRuns | null
}

export interface Finished {
  /** The runs whose attempt ended while the holder still had them. Released runs are not among them. */
  readonly ended: readonly HeldRun[]
  /** Time until a run that waits because of it can be claimed; null if none does. */
  readonly nextInMs: number | null
  /** What was claimed in the same transaction; null without a claim. */
  readonly claim: Claim | null
}

/** Which dead runs: up to `limit`, of one trigger, or of all (null). */
export interface DeadRunChoice {
  readonly of: QueuedTriggerRef | null
  readonly limit: number
}

export interface QueueStore extends RowStore<QueuedRun> {
  /** Queues runs by themselves, and returns their ids. `OVERLOADED` past what may wait. */
  enqueue(origin: Origin, runs: readonly NewQueuedRun[]): Promise<readonly number[]>
  /**
   * Claims due runs for a holder, from several accounts in turn. The account that was served longest ago comes first. A
   * run whose lease has ended is not claimed: it is due again after its retry time, or dead.
   */
  claim(request: ClaimRequest): Promise<Claim>
  /** Extends leases. Returns the runs that their holders still have. */
  renew(accountCode: string, held: readonly HeldRun[], leaseMs: number): Promise<readonly HeldRun[]>
  /**
   * Ends attempts of an account and keeps their runs, in one transaction. The end of a run that its holder no longer
   * has changes nothing, and its run is stored as lost. The same transaction can claim the next runs, of any account.
   */
  finishAttempts(accountCode: string, ends: readonly QueuedEnd[], next?: NextClaim | null): Promise<Finished>
  /** Ends all leases, for the start of the one gateway that serves the store. Nothing if several can. */
  endLeases(): Promise<void>
  /** Time until the next run can be claimed, without the accounts in `leftOut`; null if none waits. */
  nextInMs(leftOut?: readonly string[]): Promise<number | null>
  /** Up to `limit` runs after this id, in ascending id. */
  list(accountCode: string, state: QueuedRunState | null, after: number, limit: number): Promise<QueuedRun[]>
  /** The number of runs in this state; null for all. */
  count(accountCode: string, state: QueuedRunState | null): Promise<number>
  /** The queued runs of all accounts that wait, and those that are dead. */
  countAll(): Promise<{ readonly waiting: number; readonly dead: number }>
  /**
   * Makes a dead run wait again, from attempt 1. A waiting one is due now, and keeps its turn in its lane. `NOT_FOUND`;
   * `CONFLICT` while it runs; `OVERLOADED` past what may wait.
   */
  retry(origin: Origin, id: number): Promise<QueuedRun>
  /**
   * Makes up to `limit` dead runs wait again, the oldest first, as far as the account may have more that wait. Returns
   * their number.
   */
  retryDead(origin: Origin, choice: DeadRunChoice): Promise<number>
  /** Returns the run as it was. `NOT_FOUND`; `CONFLICT` while it runs. */
  cancel(origin: Origin, id: number): Promise<QueuedRun>
  /**
   * Deletes the dead runs past the newest ones of their account, `limit` in one transaction. Looks through all
   * accounts.
   */
  deleteDeadBeyond(maxRuns: number, limit: number, signal: AbortSignal): Promise<void>
  /** Deletes the dead runs that were due before this age, `limit` in one transaction. Reads all: call it seldom. */
  deleteExpiredDead(ageMs: number, limit: number, signal: AbortSignal): Promise<void>
  /** Calls the listener soon after a commit that queued runs. It is a hint: a call can be lost, or come for nothing. */
  onQueued(listener: () => void): () => void
}
