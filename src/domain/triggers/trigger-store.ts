import type { Origin, RowStore } from '../port.ts'
import type { CausedBy } from '../queue/queue-store.ts'
import type { RunHookEvent } from '../scripts/run-cause.ts'
import type { Complete } from './complete-trigger.ts'

/** A trigger: it runs a function on cases of a type (contract, section 7). */
export interface Trigger {
  readonly caseTypeCode: string
  readonly functionId: number
  /** The rights of its runs. */
  readonly scopes: readonly string[]
  readonly enabled: boolean
}

/** A hook as its author writes it. */
export interface HookInput extends Trigger {
  readonly event: RunHookEvent
  /** Hooks of an event run in ascending position, then id. */
  readonly position: number
}

export interface Hook extends HookInput {
  readonly id: number
}

/** A case task as its author writes it. */
export interface CaseTaskInput extends Trigger {
  /** Unique among the tasks of the case type. */
  readonly name: string
}

export interface CaseTask extends CaseTaskInput {
  readonly id: number
}

/** The live version of a trigger's function, for a run. */
export interface LiveFunction {
  /** The id of the trigger. */
  readonly id: number
  readonly functionId: number
  readonly functionName: string
  readonly hash: string
  readonly sourceCode: string
  readonly scopes: readonly string[]
}

export interface LiveHook extends LiveFunction {
  readonly event: RunHookEvent
}

export interface RunnableTask extends LiveFunction {
  readonly name: string
}

/** Which triggers a list has: those of a case type, of a function, or of both. Null means all. */
export interface TriggerFilter {
  readonly caseTypeCode: string | null
  readonly functionId: number | null
}

export interface TriggerStore<Row, Input> {
  /**
   * Creates a trigger (null) or changes the one with this id. Creates a missing case type. Rejects with
   * the error of `complete`, `NOT_FOUND`, or `CONFLICT` at the maximum and for the name of another task of the type.
   */
  save(origin: Origin, id: number | null, complete: Complete<Input>, maxOfType: number): Promise<Row>
  /** Returns the trigger as it was. `NOT_FOUND`. */
  remove(origin: Origin, id: number): Promise<Row>
  /** Up to `limit` triggers. */
  list(accountCode: string, filter: TriggerFilter, limit: number): Promise<Row[]>
}

/** Stores hooks. Each change raises the revision of its case types, so that no save misses a hook. */
export interface HookStore extends TriggerStore<Hook, HookInput>, RowStore<Hook> {
  /**
   * The enabled hooks of two events in the order in which they run, in one statement. Read the case type before them:
   * a save commits only at the revision that it read.
   */
  findLive(
    accountCode: string,
    caseTypeCode: string,
    events: readonly [RunHookEvent, RunHookEvent],
  ): Promise<LiveHook[]>
}

export interface CaseTaskStore extends TriggerStore<CaseTask, CaseTaskInput> {
  /** Null for a task that does not exist or is not enabled. */
  findRunnable(accountCode: string, caseTypeCode: string, name: string): Promise<RunnableTask | null>
}

/** The hooks after a change, for its commit. */
export interface HooksToQueue {
  readonly event: 'post-save' | 'post-delete'
  readonly hooks: readonly Pick<LiveHook, 'id' | 'functionId' | 'functionName' | 'scopes'>[]
  /** The generation of the change. */
  readonly generation: number
  readonly causedBy: CausedBy
}
