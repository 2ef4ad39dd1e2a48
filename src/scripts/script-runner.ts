import type { RunError } from '../domain/scripts/run.ts'
import type { Asking, Scripts } from '../domain/scripts/script.ts'

export interface CompileRequest extends Pick<Asking, 'parentRun' | 'signal'> {
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
