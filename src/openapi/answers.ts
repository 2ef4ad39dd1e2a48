import type { ErrorCode } from '../errors.ts'
import { problem } from './problem-schema.ts'
import { ref, type Schema } from './schemas.ts'

export type Answers = Readonly<Record<string, object>>

interface Refusal {
  readonly description: string
  readonly headers?: object
  readonly content: object
}

const header = (description: string, schema: Schema = { type: 'string' }, required = true) => ({
  description,
  required,
  schema,
})

/** Headers that answers have. */
export const headers = {
  ETag: header('The version of the record, for `If-Match`.'),
  Location: header('The path of the new record.'),
  'Retry-After': header('Seconds after which to try again.', { type: 'integer', minimum: 0 }, false),
  'Preference-Applied': header(
    'Present if the request preferred `handling=strict` and its body could be read.',
    { type: 'string', const: 'handling=strict' },
    false,
  ),
  'WWW-Authenticate': header('The credential that is needed (RFC 6750).'),
  'Idempotency-Replayed': header(
    '`true` if this is the answer to an earlier request under the same key.',
    { type: 'string', const: 'true' },
    false,
  ),
} as const

type HeaderName = keyof typeof headers

export const pick = (...names: readonly HeaderName[]) =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))

const headersOf = (names: readonly HeaderName[]) => (names.length === 0 ? {} : { headers: pick(...names) })

/** An answer with a JSON body. */
export function json(
  description: string,
  schema: string,
  example: unknown,
  names: readonly HeaderName[] = [],
) {
  return {
    description,
    ...headersOf(names),
    content: { 'application/json': { schema: ref(schema), example } },
  }
}

/** What a status means. */
interface Meaning {
  readonly description: string
  /** The codes of its problem documents. */
  readonly codes: readonly ErrorCode[]
  /** The headers of its answers. */
  readonly names?: readonly HeaderName[]
}

const meanings: Readonly<Record<number, Meaning>> = {
  400: { description: 'The request is wrong; `errors` names bad fields.', codes: ['BAD_USER_INPUT'] },
  401: {
    description: 'No credential, or one that is unknown, revoked or expired.',
    codes: ['UNAUTHENTICATED'],
    names: ['WWW-Authenticate'],
  },
  403: { description: 'The credential lacks the scope.', codes: ['FORBIDDEN'], names: ['WWW-Authenticate'] },
  404: { description: 'There is no such record in your account.', codes: ['NOT_FOUND'] },
  408: { description: 'The body did not arrive in time.', codes: ['BAD_USER_INPUT'] },
  409: { description: 'A conflict; `reason` says which.', codes: ['CONFLICT'], names: ['Retry-After'] },
  412: {
    description: 'The record is at another version than the one given.',
    codes: ['PRECONDITION_FAILED'],
  },
  413: { description: 'The body, or a part of it, is too large.', codes: ['PAYLOAD_TOO_LARGE'] },
  415: { description: 'The body has another media type.', codes: ['UNSUPPORTED_MEDIA_TYPE'] },
  417: { description: 'The only supported `Expect` is `100-continue`.', codes: ['BAD_USER_INPUT'] },
  429: { description: 'Too much at once; try again.', codes: ['OVERLOADED'], names: ['Retry-After'] },
  431: { description: 'The headers are too large.', codes: ['BAD_USER_INPUT'] },
  500: { description: 'A fault of the gateway.', codes: ['INTERNAL'] },
  503: { description: 'The store cannot answer.', codes: ['UNAVAILABLE'], names: ['Retry-After'] },
}

/** The problem documents that an operation answers with these statuses. */
export function refuse(...statuses: readonly number[]): Readonly<Record<string, Refusal>> {
  return Object.fromEntries(
    statuses.map(status => {
      const { description, names = [] } = meanings[status] ?? { description: '' }
      const content = { 'application/problem+json': { schema: ref(`Problem${status}`) } }
      return [status, { description, ...headersOf(names), content }]
    }),
  )
}

// Refusals that are kept under a key (contract, section 6).
const keptStatuses = [400, 404, 409, 412, 413]

/** The problem documents of an operation that takes an `Idempotency-Key`. */
export function refuseUnderKey(...statuses: readonly number[]): Answers {
  const answers = Object.entries(refuse(...statuses))
  return Object.fromEntries(
    answers.map(([status, answer]) => [
      status,
      keptStatuses.includes(Number(status)) ? markReplayed(answer) : answer,
    ]),
  )
}

/** Adds the header of a repeated answer. */
export function markReplayed({ headers = {}, ...answer }: Refusal): Refusal {
  return { ...answer, headers: { ...headers, ...pick('Idempotency-Replayed') } }
}

/** The schemas of problem documents by their names. */
export const problems: Readonly<Record<string, Schema>> = Object.fromEntries(
  Object.entries(meanings).map(([status, { codes }]) => [`Problem${status}`, problem(Number(status), codes)]),
)

/** The problem document of a script that does not compile, or of a hook that refuses. */
export function refuseScript(description: string, codes: readonly ErrorCode[]) {
  return { description, content: { 'application/problem+json': { schema: problem(422, codes) } } }
}

/** What every operation with a credential may answer. */
export const guarded = [400, 401, 403, 417, 429, 431, 500, 503] as const
/** What every operation with a body may answer besides. */
export const withBody = [408, 413, 415] as const
