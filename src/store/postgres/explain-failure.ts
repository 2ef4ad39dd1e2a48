import { DrizzleQueryError } from 'drizzle-orm'
import { RostrumError } from '../../errors.ts'
import { sqlStateOf } from './sql-state.ts'

// Those of the network before a connection stands: the statement was not sent.
const unreached = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ABORT_ERR',
  'CONNECT_TIMEOUT',
])

const cut = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
])

// PostgreSQL, appendix A: the statement was ended for its time, or could not be taken; what it had done is undone.
const undone: Readonly<Record<string, string>> = {
  '57014': 'The database took too long and was stopped',
  '55P03': 'The database took too long and was stopped',
  '25P03': 'The database took too long and was stopped',
  '25006': 'The database only takes reads at the moment',
  '57P03': 'The database is starting or stopping',
  '53100': 'The disk of the database is full',
  '53200': 'The database is short of memory',
  '53300': 'The database takes no more connections',
}

// A server that goes away says so to whom it is talking.
const goneAway = new Set(['57P01', '57P02', '57P05'])

/** What to tell of a failed call to the store: `UNAVAILABLE` where it is the database that fails, else the failure as it is. */
export function explainFailure(error: unknown): unknown {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  const code = codeOf(cause)
  if (unreached.has(code)) return nothingChanged('The database cannot be reached', cause)
  if (cut.has(code)) return outcomeUnknown('The connection to the database broke', cause)
  const state = sqlStateOf(cause) ?? ''
  if (goneAway.has(state)) return outcomeUnknown('The database went away', cause)
  const reason = undone[state]
  return reason === undefined ? error : nothingChanged(reason, cause)
}

/** For a call that failed before it could change anything, or was undone. */
export function nothingChanged(reason: string, cause?: unknown): RostrumError {
  return unavailable(`${reason}, and nothing was changed. Try again in 1 s.`, cause)
}

/** For a call that was sent and not answered. */
export function outcomeUnknown(reason: string, cause?: unknown): RostrumError {
  return unavailable(
    `${reason} before it answered: a change may have been made or not. Look first, or try again with the same \`Idempotency-Key\`.`,
    cause,
  )
}

function unavailable(message: string, cause: unknown): RostrumError {
  return new RostrumError('UNAVAILABLE', message, { retryAfterSeconds: 1, cause })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
