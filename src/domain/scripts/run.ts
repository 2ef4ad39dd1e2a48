import type { Caller } from '../../credentials/caller.ts'
import type { JsonText } from '../../json/json-text.ts'
import type { Span } from '../../tracing/span.ts'

/**
 * Connects the calls that one request causes. A script reads its transaction with `requestContext()` (contract, section
 * 4).
 */
export interface Transaction {
  readonly txnID: string
  /** The source, in the form `txnSourceForm`. */
  readonly txnSource: string
}

/** The form of `txnSource`, in words for the schema. */
export const txnSourceForm =
  '`<trigger>|<case type code, or ->/<name>|<ISO 8601 time>`. The name of a hook is `<event>/<function>`.'

/**
 * How many queued hooks lie between the first save and the saves of this run: each hook after a save adds one
 * (contract, section 8).
 */
export interface Generation {
  /** The generation of the saves that the run makes. */
  readonly number: number
  /** Called when a save was refused because its generation would be too high. */
  onTooDeep(): void
}

/** This many saves in a row can queue hooks, each save made by a hook of the one before (contract, section 8). */
export const maxGeneration = 8

/** The generation of saves that are not made by a queued run. */
export const firstGeneration: Generation = { number: 0, onTooDeep: () => undefined }

/**
 * Throws `UNAUTHENTICATED` if the lease of a queued run has ended, because another gateway may have taken the run over.
 */
export type CheckLease = () => void

export type CaseChangeKind = 'save' | 'delete'

/** One run of a script: its rights and its deadline, which the gateway decides and never the script. */
export interface Run {
  readonly id: string
  readonly name: string
  /** The name of the stored function that runs; null for a script that came with its request. */
  readonly functionName: string | null
  readonly caller: Caller
  readonly transaction: Transaction
  /** The cases that the run's transaction is saving or deleting, by id. The run's calls must not change them. */
  readonly changingCases: ReadonlyMap<number, CaseChangeKind>
  /** True if the run must change nothing. */
  readonly dryRun: boolean
  readonly generation: Generation
  /** The depth: 1 for a run that a request started, 2 for a run started by that run, and so on. */
  readonly depth: number
  /** The deadline, in milliseconds of `performance.now()`. A nested run has its parent's deadline. */
  readonly deadline: number
  /** Aborted when the run ends, so that its calls and nested runs end too. */
  readonly signal: AbortSignal
  /** As in `RunSettings`. A nested run has its parent's. */
  readonly checkLease?: CheckLease | null
  /** The span of the run once it has its sandbox; null or absent before, and if no traces are sent. */
  span?: Span | null
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
  /** The position in the author's source code, with line and column from 1; null if unknown. */
  readonly line: number | null
  readonly column: number | null
  /** The stack frames of the script, without those of the gateway. */
  readonly stack: string | null
  /** The first call of the run that was refused, and what to do about it. Null or absent without one. */
  readonly hint?: string | null
}

/** Creates an error that the gateway reports for a run. It has no position in the script. */
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

/** A call of a run as it is kept with the run. */
export interface KeptCall {
  /** Its first root field, or the other host with its port. */
  readonly name: string
  /** From the start of the run, in milliseconds. */
  readonly startMs: number
  /** In milliseconds; null if it was under way when the run ended. */
  readonly durationMs: number | null
  /** Why it rejected, or the first error of its answer; null without one. */
  readonly error: string | null
  /** The first run that it started; null without one. */
  readonly runId: string | null
}

/** How a run ended, for its caller. */
export interface Execution {
  readonly id: string
  readonly name: string
  readonly outcome: 'exit' | 'fail' | 'error'
  /** The value passed to `exit`; null for other outcomes. */
  readonly payload: JsonText | null
  /** Bytes of `payload` as JSON. */
  readonly payloadBytes: number
  /** The message passed to `fail`; null for other outcomes. */
  readonly message: string | null
  readonly error: RunError | null
  readonly logs: readonly LogEntry[]
  readonly requestContext: Transaction
  readonly durationMs: number
}
