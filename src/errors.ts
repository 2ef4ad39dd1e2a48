// The failures that a caller can receive: code, HTTP status, title (contract, sections 2 and 7).
export const catalogue = {
  BAD_USER_INPUT: { status: 400, title: 'Bad user input' },
  UNAUTHENTICATED: { status: 401, title: 'Unauthenticated' },
  FORBIDDEN: { status: 403, title: 'Forbidden' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  CONFLICT: { status: 409, title: 'Conflict' },
  PRECONDITION_FAILED: { status: 412, title: 'Precondition failed' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'Payload too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported media type' },
  SYNTAX: { status: 422, title: 'Syntax error' },
  SCRIPT_FAILED: { status: 422, title: 'Script failed' },
  SCRIPT_ERROR: { status: 422, title: 'Script error' },
  TOO_DEEP: { status: 422, title: 'Too deep' },
  OVERLOADED: { status: 429, title: 'Overloaded' },
  INTERNAL: { status: 500, title: 'Internal error' },
  UNAVAILABLE: { status: 503, title: 'Unavailable' },
  // Clients of GraphQL expect the status of an answer, and send the document.
  PERSISTED_QUERY_NOT_SUPPORTED: { status: 200, title: 'Persisted query not supported' },
} as const

export type ErrorCode = keyof typeof catalogue

/** Why a change is refused as `CONFLICT` or `PRECONDITION_FAILED`, for programs (contract, section 9). */
export const conflictReasons = {
  PAIR_EXISTS: 'The user is in this team already.',
  KEY_REUSED: 'The idempotency key belongs to another request.',
  CASE_CHANGED: 'The case was changed meanwhile, and nothing was saved.',
  OWN_CASE: 'A script saves or deletes the case that its own transaction is saving.',
  NAME_TAKEN: 'Another record has this name.',
  IN_USE: 'Something else uses the record.',
  LIMIT: 'There are as many records as the account or the case type can have.',
  RUNNING: 'The queued run, or the first request or message under the key, is still in progress.',
  NOT_REPLAYABLE: 'The run cannot be run again.',
  VERSION: 'The record is at another version than the one given.',
  UNKNOWN_OUTCOME: 'The first request under the key was cut off, or its answer was not kept.',
  NO_KEY: 'The gateway has no key for secrets.',
  KEY_LOST: 'The key of the stored secrets is lost.',
  CHANGED: 'Something else was changed meanwhile.',
} as const

export type ConflictReason = keyof typeof conflictReasons

/** One bad field of the input, named by a JSON pointer (RFC 6901) into what the caller sent. */
export interface FieldError {
  readonly pointer: string
  readonly detail: string
}

/**
 * The facts that errors have for programs, by their codes. They are members of `extensions` in GraphQL. In problem
 * documents they have the names of `toMember`, and the OpenAPI document lists them (`openapi/problem-schema.ts`).
 */
export interface FactNames {
  readonly BAD_USER_INPUT: 'bound' | 'most' | 'line' | 'column'
  readonly UNAUTHENTICATED: 'error'
  readonly FORBIDDEN: 'scope'
  readonly CONFLICT: 'existingId' | 'originalStatus' | 'location'
  readonly PRECONDITION_FAILED: 'version' | 'liveVersion'
  readonly SYNTAX: 'line' | 'column'
  readonly SCRIPT_FAILED: 'function' | 'hook' | 'runId' | 'txnID'
  readonly SCRIPT_ERROR: 'function' | 'hook' | 'runId' | 'txnID' | 'error'
}

/** The last event that a stream sent. Only GraphQL has streams. */
type StreamFact = 'cursor'

type Facts = Readonly<Partial<Record<FactNames[keyof FactNames] | StreamFact, Fact>>>

/** Returns the name of a fact in a problem document: `run_id` for `runId`. */
export function toMember(fact: string): string {
  return fact.replace(/ID$|[A-Z]/g, word => `_${word.toLowerCase()}`)
}

/** A fact for programs, as JSON. */
export type Fact = string | number | null | { readonly [name: string]: Fact }

interface Details {
  readonly fields?: readonly FieldError[]
  /** Seconds after which the caller may try again; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** Facts for programs, sent beside `code`, for example the id of a conflicting row. */
  readonly facts?: Facts
  readonly cause?: unknown
}

/** The codes that say what to do only together with a reason. */
type CodeWithReason = 'CONFLICT' | 'PRECONDITION_FAILED'

type ErrorArguments =
  | [code: Exclude<ErrorCode, CodeWithReason>, message: string, details?: Details]
  | [code: CodeWithReason, message: string, details: Details & { readonly reason: ConflictReason }]

/** An expected failure. Its message goes to the caller word for word, so it must not contain a secret. */
export class RostrumError extends Error {
  override readonly name = 'RostrumError'
  readonly code: ErrorCode
  readonly fields: readonly FieldError[]
  readonly retryAfterSeconds: number | undefined
  readonly facts: Facts
  /** Null for the codes that need none. */
  readonly reason: ConflictReason | null

  constructor(...[code, message, details = {}]: ErrorArguments) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.reason = 'reason' in details ? details.reason : null
    this.fields = details.fields ?? []
    this.retryAfterSeconds = details.retryAfterSeconds
    this.facts = details.facts ?? {}
  }
}

/** The codes of errors that name bad fields. */
type FieldCode = 'BAD_USER_INPUT' | 'PAYLOAD_TOO_LARGE'

/** The error for bad input fields. Its message is made from the fields, so that REST can use its own field names. */
export function invalidInput(
  fields: readonly FieldError[],
  code: FieldCode = 'BAD_USER_INPUT',
): RostrumError {
  const problems = fields.map(({ pointer, detail }) => `\`${pointer.slice(1)}\` ${detail}`)
  return new RostrumError(code, `${problems.join('; ')}.`, { fields })
}

/** Returns the code of an error that names bad fields. */
export function toFieldCode(code: ErrorCode): FieldCode {
  return code === 'PAYLOAD_TOO_LARGE' ? code : 'BAD_USER_INPUT'
}

/** The error for a field that is larger than the gateway takes, though the whole body is not. */
export function fieldTooLarge(pointer: string, detail: string): RostrumError {
  return invalidInput([{ pointer, detail }], 'PAYLOAD_TOO_LARGE')
}

/** The error for a record that does not exist. One of another account gets the same answer. */
export function notFound(what: string, id: number | string | null): RostrumError {
  return new RostrumError('NOT_FOUND', `There is no ${what} \`${id}\`.`)
}

/** Returns the error for an invalid token. Its fact `error` is the code of RFC 6750 for `WWW-Authenticate`. */
export function invalidToken(message: string, cause?: unknown): RostrumError {
  return new RostrumError('UNAUTHENTICATED', message, { facts: { error: 'invalid_token' }, cause })
}

/** The error for what has no room now. Its message ends with the seconds to try again after: at least 1. */
export function overloaded(message: string, seconds: number): RostrumError {
  const retryAfterSeconds = Math.max(1, seconds)
  const text = `${message}. Try again in ${retryAfterSeconds} s.`
  return new RostrumError('OVERLOADED', text, { retryAfterSeconds })
}

/** The error for work that comes while the gateway stops. Clients send it again to another gateway. */
export function shuttingDown(): RostrumError {
  return new RostrumError('OVERLOADED', 'This gateway is shutting down; try again.', { retryAfterSeconds: 1 })
}

/** The error of work whose client disconnected. Nobody reads it. */
export function clientGone(): RostrumError {
  return new RostrumError('OVERLOADED', 'The client disconnected.')
}

/** Why the gateway itself ends a run, whose caller has not given it up. */
type RunStopReason =
  | 'was ended because its gateway stopped'
  | 'was ended because its gateway could not keep the run'

/** The error of a run that the gateway ends by itself, as the reason of its signal. Nobody reads it. */
export class RunStop extends RostrumError {
  readonly why: RunStopReason

  constructor(why: RunStopReason) {
    super('OVERLOADED', `The run ${why}.`)
    this.why = why
  }
}

/** The end of a run that does not finish while its gateway stops. */
export function gatewayStopped(): RunStop {
  return new RunStop('was ended because its gateway stopped')
}

/** The end of a queued run whose lease this gateway has lost. */
export function runLost(): RunStop {
  return new RunStop('was ended because its gateway could not keep the run')
}

/** True for an error that a caller receives with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is RostrumError {
  return error instanceof RostrumError && codes.includes(error.code)
}

/** A failure to start. Its message is one line for the operator on standard error. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
