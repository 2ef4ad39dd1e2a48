import type { Logger } from 'pino'
import type { Caller } from '../../credentials/caller.ts'
import type { JsonText } from '../../json/json-text.ts'
import type { Execution, Generation, Run, RunError } from './run.ts'
import type { RunCause } from './run-cause.ts'
import type { RunRecorder } from './run-record.ts'
import type { SavedTrigger } from './trigger-kinds.ts'

/**
 * A script to run, and why. A trigger makes one, and `Scripts` runs it. A run has these forms, one after the other:
 *
 *   Script -- admitted --> Run -- to the sandbox --> message -- ended --> Execution -- kept --> row
 */
export interface Script {
  readonly cause: RunCause
  /** The name of the function, the task or the webhook, for logs and the transaction. */
  readonly name: string
  readonly sourceCode: string
  /** A JSON document. */
  readonly payload: string
  /** True for a payload that the gateway wrote, which needs no check. */
  readonly isWritten?: boolean
  /** A JSON object. */
  readonly options: string
  readonly caseTypeCode: string | null
  /** Only its length is checked. */
  readonly accountNickname?: string | null
  readonly rights: ScriptRights
  /** For a script whose `exit` gives case data. Null or absent if `exit` may have any value. */
  readonly checkExit?: CheckExit | null
}

/** The rights of the caller that asks, or these scopes alone. `of` is the trigger that has them; null without one. */
export type ScriptRights = 'caller' | { readonly scopes: readonly string[]; readonly of: SavedTrigger | null }

/** Returns the error of a value that is no case data, null for a good one. */
export type CheckExit = (payload: JsonText) => Promise<RunError | null>

/** What a script runs for: an operation, a delivery or a queued run. The context of an operation is one. */
export interface Asking {
  /** Who causes the run. To a script with rights of its own the caller is data. */
  readonly caller: Caller
  /** The run whose script asks; null without one. */
  readonly parentRun: Run | null
  /** Aborted when nobody waits for the run any more, which ends it. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Called when the run has its id and transaction, before it waits for a sandbox. */
  readonly onRun: (run: Run) => void
}

export interface RunSettings {
  /** Keeps the run. Default: like other runs. */
  readonly recorder?: RunRecorder
  /** The latest end, of `performance.now()`, if it is before that of the parent run and the time limit. */
  readonly deadline?: number
  /** Only for a queued run, which takes a sandbox only while no other run waits. */
  readonly generation?: Generation
}

/** Runs scripts. `app.ts` passes the task runner. */
export interface Scripts {
  /**
   * Resolves when the run has ended. What a script did, failures included, is a value. Rejects with a `RostrumError`
   * if the run never started: `BAD_USER_INPUT`, `PAYLOAD_TOO_LARGE`, `OVERLOADED`, `TOO_DEEP`.
   */
  run(script: Script, asking: Asking, settings?: RunSettings): Promise<Execution>
}
