import { errorWithoutPlace } from './error-without-place.ts'
import type { Run } from './run.ts'
import type { RunEnding } from './run-in-sandbox.ts'
import type { RunLog } from './run-log.ts'
import type { TaskError, TaskExecution } from './task-execution.ts'

export interface EndedRun {
  readonly run: Run
  readonly ending: RunEnding
  readonly log: RunLog
  /** On the clock of `performance.now()`. */
  readonly startedAt: number
  readonly resultBytes: number
}

/** The answer of an execution from what its sandbox said; what the sandbox says is checked once more. */
export function toExecution({ run, ending, log, startedAt, resultBytes }: EndedRun): TaskExecution {
  return {
    id: run.id,
    name: run.name,
    ...readEnding(ending, resultBytes),
    logs: log.entries(),
    requestContext: run.transaction,
    durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
  }
}

function readEnding(
  ending: RunEnding,
  resultBytes: number,
): Pick<TaskExecution, 'outcome' | 'payload' | 'message' | 'error'> {
  switch (ending.kind) {
    case 'exit':
      return readPayload(ending.payload, resultBytes)
    case 'fail':
      return isTooLarge(ending.message, resultBytes)
        ? tooLarge('message', resultBytes)
        : { outcome: 'fail', payload: null, message: ending.message, error: null }
    case 'error':
      return errorOutcome(ending.error)
    case 'unbegun':
      return errorOutcome(errorWithoutPlace('CRASHED', 'The sandbox was gone before the run began'))
    case 'crashed':
      return errorOutcome(errorWithoutPlace('CRASHED', `The sandbox ${ending.reason}`))
    default:
      return ending satisfies never
  }
}

function readPayload(text: string, resultBytes: number) {
  if (isTooLarge(text, resultBytes)) return tooLarge('result', resultBytes)
  try {
    return { outcome: 'exit' as const, payload: JSON.parse(text) as unknown, message: null, error: null }
  } catch {
    return errorOutcome(errorWithoutPlace('CRASHED', 'The sandbox gave a result that is not JSON'))
  }
}

function isTooLarge(text: string, resultBytes: number): boolean {
  return Buffer.byteLength(text) > resultBytes
}

function tooLarge(what: string, resultBytes: number) {
  return errorOutcome(
    errorWithoutPlace('LIMIT', `The ${what} has more than ${resultBytes} bytes, the most allowed`),
  )
}

function errorOutcome(error: TaskError) {
  return { outcome: 'error' as const, payload: null, message: null, error }
}
