import type { BoundLog } from '../../bound-log.ts'
import type { Caller } from '../../credentials/caller.ts'
import type { JsonText } from '../../json/json-text.ts'
import type { SpanParent } from '../../tracing/span.ts'
import type { CheckLease, Execution, Generation, Run, RunError } from './run.ts'
import type { RunCause } from './run-cause.ts'
import type { RunFollower } from './run-follower.ts'
import type { RunRecorder } from './run-record.ts'
import type { SavedTrigger } from './trigger-kinds.ts'

/**
 * A script to run, and why. A trigger makes one, and `Scripts` runs it. A run has these forms, one after the other:
 *
 *   Script -- admitted --> Run -- to the sandbox --> message -- ended --> Execution -- kept --> row
 */
export interface Script {
  readonly cause: RunCause
  /** The name of the function, task or webhook, for logs and the transaction. */
  readonly name: string
  readonly sourceCode: string
  /** A JSON document. */
  readonly payload: string
  /** True if the gateway itself wrote the payload, which then needs no check. */
  readonly isWritten?: boolean
  /** A JSON object. */
  readonly options: string
  readonly caseTypeCode: string | null
  /** A caller's text that the gateway does not use. Only its length is checked. */
  readonly accountNickname?: string | null
  readonly rights: ScriptRights
  /** For a script that passes case data to `exit`. Null or absent if `exit` may have any value. */
  readonly checkExit?: CheckExit | null
}

/**
 * The rights of a run: those of the caller, or only these scopes. `of` is the kind of trigger that has the scopes; null
 * without one.
 */
export type ScriptRights = 'caller' | { readonly scopes: readonly string[]; readonly of: SavedTrigger | null }

/** Returns the error of a value that is not case data; null for a good value. */
export type CheckExit = (payload: JsonText) => Promise<RunError | null>

/** What a script runs for: an operation, a delivery or a queued run. The context of an operation is an `Asking`. */
export interface Asking {
  /** The caller that causes the run. For a script with rights of its own, the caller is only data. */
  readonly caller: Caller
  /** The run whose script asks for this run; null without one. */
  readonly parentRun: Run | null
  /** Aborted when nobody waits for the run any more. That ends the run. */
  readonly signal: AbortSignal
  readonly log: BoundLog
  /** Called when the run has its id and transaction, before it waits for a sandbox. */
  readonly onRun: (run: Run) => void
  /** The span that causes the run, or what begins a trace for it; null or absent if no traces are sent. */
  readonly span?: SpanParent | null
  /** Follows the run while it goes on; null or absent without a follower. */
  readonly follower?: RunFollower | null
  /** A text of the request that was checked with its body: it is JSON. Null or absent without one. */
  readonly knownJson?: string | null
}

export interface RunSettings {
  /** Records the run. By default it is recorded like other runs. */
  readonly recorder?: RunRecorder
  /**
   * The latest end of the run, in milliseconds of `performance.now()`. The parent's deadline or the time limit may be
   * earlier.
   */
  readonly deadline?: number
  /** Set only for a queued run. Such a run takes a sandbox only while no other run waits. */
  readonly generation?: Generation
  /**
   * Called before each call of the run, of a run inside it or with its token, and before the commit of a save that it
   * asks for. Set only for a queued run.
   */
  readonly checkLease?: CheckLease
}

/** Runs scripts. `app.ts` passes the script runner. */
export interface Scripts {
  /**
   * Runs a script. Resolves when the run has ended: what the script did, failures included, is a value. Rejects with a
   * `RostrumError` if the run never started: `BAD_USER_INPUT`, `PAYLOAD_TOO_LARGE`, `OVERLOADED`, `TOO_DEEP`.
   */
  run(script: Script, asking: Asking, settings?: RunSettings): Promise<Execution>
}
