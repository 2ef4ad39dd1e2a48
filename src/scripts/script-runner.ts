import type { RunError } from '../domain/scripts/run.ts'
import type { Asking, Scripts } from '../domain/scripts/script.ts'

export interface CompileRequest extends Pick<Asking, 'parentRun' | 'signal' | 'log'> {
  readonly sourceCode: string
  readonly accountCode: string
}

/** Runs scripts, and compiles sources. */
export interface ScriptRunner extends Scripts {
  /**
   * Compiles a source without running it. Returns the error of the source, or null if it compiles. Rejects with
   * `PAYLOAD_TOO_LARGE` or `OVERLOADED`.
   */
  compile(request: CompileRequest): Promise<RunError | null>
  /**
   * Reserves a queue slot for a run whose request is still being read. Throws `OVERLOADED` if there is none. Call the
   * returned function when the run has arrived or will not come.
   */
  reserveSlot(accountCode: string): () => void
}

/** How many sandboxes queued runs can take now. */
export interface QueuedCapacity {
  /** Returns how many queued runs could begin now: of all accounts together, and of each account. */
  free(): number
  freeOf(accountCode: string): number
  /** Returns the accounts that can begin no queued run, because they use all their share. */
  fullAccounts(): readonly string[]
  /**
   * Says whether runs are due that find no sandbox. While they are, a sandbox is left to one of them every second,
   * though requests wait for it.
   */
  want(areDue: boolean): void
  /** Starts one more sandbox if all sandboxes stay busy for a while. */
  grow(): void
  /** Sets the listener that is called when a queued run could begin. */
  onFree(listener: () => void): void
}
