import type { Logger } from 'pino'
import type { Caller } from '../credentials/caller.ts'
import type { Run } from './run/run.ts'
import type { TaskExecution, TaskInput } from './run/task-execution.ts'

export interface ExecuteRequest {
  readonly input: TaskInput
  readonly caller: Caller
  readonly parentRun: Run | null
  /** Aborted when the caller has gone away: the run ends with it. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Called once the run has its id and transaction, before it waits for a sandbox. */
  readonly onRun: (run: Run) => void
}

/**
 * Runs scripts. Rejects with a `RostrumError` for an execution that never started (`BAD_USER_INPUT`,
 * `PAYLOAD_TOO_LARGE`, `OVERLOADED`); whatever a script did is a value.
 */
export interface TaskRunner {
  execute(request: ExecuteRequest): Promise<TaskExecution>
  /**
   * Keeps a place for a run that is being read; `OVERLOADED` where it would have none to wait in. What it gives is to be
   * called when the run is there, or will not come.
   */
  holdPlace(accountCode: string): () => void
}
