/** An entry of a script's log. */
export interface LogEntry {
  readonly at: string
  readonly level: string
  readonly data: readonly unknown[]
}

export interface ScriptError {
  readonly code: string
  readonly message: string
  readonly line: number | null
  readonly column: number | null
}

/** The `task_execution` of an answer (contract, section 4). */
export interface Execution {
  readonly outcome: 'exit' | 'fail' | 'error'
  readonly payload: unknown
  readonly message: string | null
  readonly error: ScriptError | null
  readonly logs: readonly LogEntry[]
  readonly duration_ms: number
}
