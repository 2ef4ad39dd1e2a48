import type { Caller } from '../../credentials/caller.ts'
import type { JsonText } from '../../json/json-text.ts'

/** Connects the calls that one request causes. A script reads it with `requestContext()` (contract, section 4). */
export interface Transaction {
  readonly txnID: string
  /** `<trigger>|<case_type_code>/<hook or task name>|<ISO 8601 time>` */
  readonly txnSource: string
}

/**
 * The number of hooks between the first save and the saves of a run: each hook after a save adds one (contract, section
 * 8).
 */
export interface Generation {
  /** The generation of the saves that the run makes. */
  readonly number: number
  /** Called when a save was refused because it would go too far. */
  onTooDeep(): void
}

/** The generation of saves that no queued run makes. */
export const firstGeneration: Generation = { number: 0, onTooDeep: () => undefined }

/** One run of a script: its rights and its deadline, which the gateway decides and never the script. */
export interface Run {
  readonly id: string
  readonly name: string
  /** The stored function that it runs; null for a script that came with its request. */
  readonly functionName: string | null
  readonly caller: Caller
  readonly transaction: Transaction
  /** Cases that its transaction is saving. Only the value given to `exit` may change them. */
  readonly savingCases: ReadonlySet<number>
  /** True if the run must change nothing. */
  readonly dryRun: boolean
  readonly generation: Generation
  /** 1 for a run that a request started, 2 for a run started by that run, and so on. */
  readonly depth: number
  /** In milliseconds of `performance.now()`. A nested run has its parent's deadline. */
  readonly deadline: number
  /** Aborted when the run ends. Its calls and nested runs end with it. */
  readonly signal: AbortSignal
}

export const runErrorCodes = [
  'SYNTAX',
  'RUNTIME',
  'NO_OUTCOME',
  'TIMEOUT',
  'MEMORY',
  'RESULT',
  'LIMIT',
  'CRASHED',
] as const

export type RunErrorCode = (typeof runErrorCodes)[number]

/** What went wrong in a run. */
export interface RunError {
  readonly code: RunErrorCode
  readonly message: string
  /** Position in the author's source code, both from 1; null if unknown. */
  readonly line: number | null
  readonly column: number | null
  /** Stack frames of the script only. */
  readonly stack: string | null
  /** The first call of the run that was refused, and what to do about it; null or absent without one. */
  readonly hint?: string | null
}

/** An error of a run that the gateway reports; it has no position in the script. */
export function errorWithoutPosition<Code extends RunErrorCode>(code: Code, message: string) {
  return { code, message, line: null, column: null, stack: null }
}

export const logLevels = ['debug', 'info', 'warn', 'error'] as const

export type LogLevel = (typeof logLevels)[number]

export interface LogEntry {
  readonly at: Date
  readonly level: LogLevel
  /** The arguments of the call, as JSON values. */
  readonly data: readonly unknown[]
  /** Bytes of `data` as JSON. */
  readonly bytes: number
}

/** How a run ended, for its caller. */
export interface Execution {
  readonly id: string
  readonly name: string
  readonly outcome: 'exit' | 'fail' | 'error'
  /** The value given to `exit`; null for other outcomes. */
  readonly payload: JsonText | null
  /** Bytes of `payload` as JSON. */
  readonly payloadBytes: number
  /** The message given to `fail`; null for other outcomes. */
  readonly message: string | null
  readonly error: RunError | null
  readonly logs: readonly LogEntry[]
  readonly requestContext: Transaction
  readonly durationMs: number
}
