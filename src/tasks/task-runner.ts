import type { Logger } from 'pino'
import type { Caller } from '../credentials/caller.ts'
import type { RunCause } from '../domain/runs/run-cause.ts'
import type { RunRecorder } from '../domain/runs/run-record.ts'
import type { JsonText } from '../json/json-text.ts'
import type { Generation, Run } from './run/run.ts'
import type { TaskError, TaskExecution, TaskInput } from './run/task-execution.ts'

export interface ExecuteRequest {
  readonly input: TaskInput
  readonly cause: RunCause
  /** The rights of the run, and who caused it. */
  readonly caller: Caller
  readonly parentRun: Run | null
  /** The latest end, of `performance.now()`, if it is before that of the parent run and the time limit. */
  readonly deadline?: number
  /** Keeps the run. Default: the recorder of the runner. */
  readonly recorder?: RunRecorder
  /** For a run whose `exit` gives case data: the error of a value that is none, null for a good one. */
  readonly refuseResult?: RefuseResult | null
  /** Of a queued run, which takes a sandbox only while no other run waits. Others have none. */
  readonly generation?: Generation
  /** Aborted when the caller disconnects, which ends the run. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Called when the run has its id and transaction, before it waits for a sandbox. */
  readonly onRun: (run: Run) => void
}

export type RefuseResult = (payload: JsonText) => Promise<TaskError | null>

export interface CompileRequest extends Pick<ExecuteRequest, 'parentRun' | 'signal' | 'log'> {
  readonly sourceCode: string
  readonly accountCode: string
}

/**
 * Runs scripts. Rejects with a `RostrumError` if the execution never started (`BAD_USER_INPUT`, `PAYLOAD_TOO_LARGE`,
 * `OVERLOADED`, `TOO_DEEP`). What a script did, failures included, is a value.
 */
export interface TaskRunner {
  execute(request: ExecuteRequest): Promise<TaskExecution>
  /**
   * Compiles a source without running it. Gives the error of one that does not compile, else null. Rejects with
   * `PAYLOAD_TOO_LARGE` or `OVERLOADED`.
   */
  compile(request: CompileRequest): Promise<TaskError | null>
  /**
   * Reserves a queue slot for a run whose request is still being read. Throws `OVERLOADED` if there is none. Call the
   * function it returns when the run has arrived or will not come.
   */
  reserveSlot(accountCode: string): () => void
}

/** The sandboxes that queued runs may take. */
export interface QueuedCapacity {
  /** How many queued runs could begin now, of all accounts and of one. */
  free(): number
  freeOf(accountCode: string): number
  /** Accounts that can begin none, because they hold their share. */
  fullAccounts(): readonly string[]
  /** Starts one more sandbox if all are busy for a while. */
  grow(): void
  /** Sets the listener that is called when one could begin. */
  onFree(listener: () => void): void
}
