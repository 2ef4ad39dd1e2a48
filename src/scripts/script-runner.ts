import type { RunError } from '../domain/scripts/run.ts'
import type { Asking, Scripts } from '../domain/scripts/script.ts'

export interface CompileRequest extends Pick<Asking, 'parentRun' | 'signal' | 'log'> {
  readonly sourceCode: string
  readonly accountCode: string
}

/** Runs scripts, and compiles them. */
export interface ScriptRunner extends Scripts {
  /**
   * Compiles a source without running it. Returns the error of one that does not compile, else null. Rejects with
   * `PAYLOAD_TOO_LARGE` or `OVERLOADED`.
   */
  compile(request: CompileRequest): Promise<RunError | null>
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
