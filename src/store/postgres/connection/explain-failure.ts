import { RostrumError } from '../../../errors.ts'
import { endsConnection, sqlStateOf } from './sql-state.ts'

// Codes with which PostgreSQL has ended or refused a statement and undone it (PostgreSQL, appendix A).
const undone: Readonly<Record<string, string>> = {
  '57014': 'The database took too long and was stopped',
  '55P03': 'The database took too long and was stopped',
  '25P03': 'The database took too long and was stopped',
  '25006': 'The database only takes reads at the moment',
  '40P01': 'Other changes were in the way',
  '40001': 'Other changes were in the way',
  '57P03': 'The database is starting or stopping',
  '53000': 'The database is short of resources',
  '53100': 'The disk of the database is full',
  '53200': 'The database is short of memory',
  '53300': 'The database takes no more connections',
  '53400': 'The database has reached a limit of its settings',
  '58030': 'The database could not use its disk',
}

/** Returns the error for a caller: `UNAVAILABLE` if the database failed, otherwise the same error. */
export function explainFailure(error: unknown): unknown {
  const state = sqlStateOf(error)
  if (state === null) return error
  const reason = undone[state]
  if (reason !== undefined) return nothingChanged(reason, error)
  return endsConnection(error) ? outcomeUnknown('The database went away', error) : error
}

/** Returns the same for a call that only reads: whatever happened, it changed nothing. */
export function explainReadFailure(error: unknown): unknown {
  const explained = explainFailure(error)
  return explained instanceof UnknownOutcome ? nothingChanged(explained.what, explained.cause) : explained
}

/**
 * Returns the error for a statement that was not sent: the database is away, or all connections were in use too long.
 */
export function explainNoConnection(cause: unknown): RostrumError {
  return nothingChanged(undone[sqlStateOf(cause) ?? ''] ?? 'The database gave no connection', cause)
}

/** Returns the error for a statement whose connection was lost before the answer came. */
export function connectionBroke(cause: unknown): RostrumError {
  return outcomeUnknown('The connection to the database broke', cause)
}

/** Returns the error for a call that changed nothing, because it failed early or was undone. */
export function nothingChanged(reason: string, cause?: unknown): RostrumError {
  const message = `${reason}, and nothing was changed. Try again in 1 s.`
  return new RostrumError('UNAVAILABLE', message, { retryAfterSeconds: 1, cause })
}

/** Returns the error for a call without an answer, which may have been executed. */
export function outcomeUnknown(reason: string, cause?: unknown): RostrumError {
  return new UnknownOutcome(reason, cause)
}

class UnknownOutcome extends RostrumError {
  /** What happened. */
  readonly what: string

  constructor(what: string, cause: unknown) {
    const message =
      `${what} before it answered: a change may have been made or not. ` +
      'Look first, or try again with the same `Idempotency-Key`.'
    super('UNAVAILABLE', message, { retryAfterSeconds: 1, cause })
    this.what = what
  }
}
