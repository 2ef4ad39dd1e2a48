import type { JsonText } from '../../json/json-text.ts'
import type { Transaction } from '../input/transaction.ts'

/** The input of `executeTask` and of `POST /api/1/endpoint/execute`, as texts (contract, section 4). */
export interface TaskInput {
  readonly name: string
  readonly sourceCode: string
  /** A JSON document. */
  readonly inputDocument: string
  /** True for a document that the gateway wrote, which needs no check. */
  readonly isWritten?: boolean
  /** A JSON object. */
  readonly options: string
  readonly metadata: {
    readonly caseTypeCode: string | null
    readonly accountNickname: string | null
  }
}

export const taskErrorCodes = [
  'SYNTAX',
  'RUNTIME',
  'NO_OUTCOME',
  'TIMEOUT',
  'MEMORY',
  'RESULT',
  'LIMIT',
  'CRASHED',
] as const

export type TaskErrorCode = (typeof taskErrorCodes)[number]

export interface TaskError {
  readonly code: TaskErrorCode
  readonly message: string
  /** Position in the author's source code, both from 1; null if unknown. */
  readonly line: number | null
  readonly column: number | null
  /** Stack frames of the script only. */
  readonly stack: string | null
  /** The first call of the run that was refused, and what to do about it; null or absent without one. */
  readonly hint?: string | null
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

export interface TaskExecution {
  readonly id: string
  readonly name: string
  readonly outcome: 'exit' | 'fail' | 'error'
  /** The value given to `exit`; null for other outcomes. */
  readonly payload: JsonText | null
  /** Bytes of `payload` as JSON. */
  readonly payloadBytes: number
  /** The message given to `fail`; null for other outcomes. */
  readonly message: string | null
  readonly error: TaskError | null
  readonly logs: readonly LogEntry[]
  readonly requestContext: Transaction
  readonly durationMs: number
}
