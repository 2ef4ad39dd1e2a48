import { type Execution, errorWithoutPosition, type Run, type RunError } from '../../domain/scripts/run.ts'
import { toTenths } from '../calls/kept-calls.ts'
import type { RunEnding } from './read-ending.ts'
import type { RunLog } from './run-log.ts'

export interface EndedRun {
  readonly run: Run
  readonly ending: RunEnding
  readonly log: RunLog
  /** The start, in milliseconds of `performance.now()`. */
  readonly startedAt: number
  /** The first call of the run that was refused; null without one. */
  readonly hint: string | null
}

/** Returns the execution that the caller of the run gets. */
export function toExecution({ run, ending, log, startedAt, hint }: EndedRun): Execution {
  const outcome = outcomeOf(ending)
  const { error } = outcome
  return {
    id: run.id,
    name: run.name,
    ...outcome,
    error: error && { ...error, hint: error.code === 'RUNTIME' ? hint : null },
    logs: log.entries(),
    requestContext: run.transaction,
    durationMs: toTenths(performance.now() - startedAt),
  }
}

type Outcome = Pick<Execution, 'outcome' | 'payload' | 'payloadBytes' | 'message' | 'error'>

const noPayload = { payload: null, payloadBytes: 4 } as const

/** Returns the outcome that an ending means for the caller. */
export function outcomeOf(ending: RunEnding): Outcome {
  switch (ending.kind) {
    case 'exit':
      return {
        outcome: 'exit',
        payload: ending.payload,
        payloadBytes: ending.payloadBytes,
        message: null,
        error: null,
      }
    case 'fail':
      return { ...noPayload, outcome: 'fail', message: ending.message, error: null }
    case 'error':
      return errorOutcome(ending.error)
    case 'notBegun':
    case 'crashed':
      return errorOutcome(errorWithoutPosition('CRASHED', `The sandbox ${ending.reason}`))
    default:
      return ending satisfies never
  }
}

function errorOutcome(error: RunError) {
  return { ...noPayload, outcome: 'error' as const, message: null, error }
}
