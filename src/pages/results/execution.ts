/** An entry of the log of a run. */
export interface LogEntry {
  readonly at: string
  readonly level: string
  readonly data: readonly unknown[]
}

/** A call of a run. Its duration and error are null while it is under way. */
export interface Call {
  readonly id: number
  readonly name: string
  readonly at: string
  readonly durationMs: number | null
  readonly error: string | null
  /** The run that the call started; null for other calls. */
  readonly runId: string | null
}

/** How a run ended. */
export interface Execution {
  readonly id: string
  readonly outcome: 'exit' | 'fail' | 'error'
  readonly payload: unknown
  readonly message: string | null
  readonly error: {
    readonly code: string
    readonly message: string
    readonly line: number | null
    readonly column: number | null
    readonly hint: string | null
  } | null
  readonly logs: readonly LogEntry[]
  readonly duration_ms: number
}
