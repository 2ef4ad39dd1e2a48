import { z } from 'zod'

// What the contract says of the bodies, in strict shapes of the tests' own: a member too many is a fault.

const id = z.int().positive()
const guid = z.guid()

const membership = z.strictObject({ id, user_id: id, team_id: id, leader: z.boolean().nullable() })

export const membershipBody = z.strictObject({ team_membership: membership })

export const membershipListBody = z.strictObject({ team_memberships: z.array(membership) })

export const userBody = z.strictObject({
  user: z.strictObject({ id, email: z.string().nullable(), display_name: z.string().nullable() }),
})

export const teamBody = z.strictObject({ team: z.strictObject({ id, name: z.string().nullable() }) })

const hash = z.string().regex(/^[0-9a-f]{64}$/)

const savedFunction = z.strictObject({
  id,
  name: z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/),
  case_type_code: z.string().nullable(),
  live_version: hash,
  version: hash,
  created_at: z.iso.datetime(),
})

export const savedFunctionBody = z.strictObject({ function: savedFunction })

export const functionBody = z.strictObject({ function: savedFunction.extend({ source_code: z.string() }) })

export const healthBody = z.strictObject({ status: z.literal('ok') })

export const readyBody = z.strictObject({ status: z.literal('ready') })

export const frontPage = z.string().regex(/^<!doctype html>\n[\s\S]*<\/html>\n$/)

export const unreadyBody = z.strictObject({
  status: z.literal('not ready'),
  waiting_for: z.array(z.string()).min(1),
})

/** Codes of the catalogue with their statuses (contract, section 2). */
export const statusOfCode = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PERSISTED_QUERY_NOT_SUPPORTED: 200,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  SYNTAX: 422,
  UNSUPPORTED_MEDIA_TYPE: 415,
  OVERLOADED: 429,
} as const

// `INTERNAL` is missing: no input may bring it about.
const code = z.enum(Object.keys(statusOfCode) as (keyof typeof statusOfCode)[])

const fieldErrors = z
  .array(z.strictObject({ pointer: z.string().regex(/^(\/([^/~]|~[01])*)*$/), detail: z.string().min(1) }))
  .min(1)

// Reasons of the conflicts of memberships, users, teams, functions and case types, which two requests may save at once.
const reason = z.enum(['PAIR_EXISTS', 'VERSION', 'LIMIT', 'CHANGED']).optional()

// Facts of the one code or the other, by their names in REST.
const facts = {
  existing_id: id.optional(),
  version: z.int().positive().optional(),
  live_version: hash.nullable().optional(),
  line: z.int().positive().nullable().optional(),
  column: z.int().positive().nullable().optional(),
  scope: z.string().optional(),
  error: z.literal('invalid_token').optional(),
  bound: z.string().optional(),
  most: z.int().optional(),
}

export const problemBody = z.strictObject({
  type: z.string().regex(/^urn:rostrum:problem:[a-z-]+$/),
  title: z.string().min(1),
  status: z.int(),
  detail: z.string().min(1),
  code,
  reason,
  errors: fieldErrors.optional(),
  ...facts,
})

const graphqlError = z.strictObject({
  message: z.string().min(1),
  locations: z.array(z.strictObject({ line: z.int().positive(), column: z.int().positive() })).optional(),
  path: z.array(z.union([z.string(), z.int().nonnegative()])).optional(),
  extensions: z.strictObject({
    code,
    reason,
    errors: fieldErrors.optional(),
    retryAfterSeconds: z.number().positive().optional(),
    existingId: facts.existing_id,
    version: facts.version,
    liveVersion: facts.live_version,
    scope: facts.scope,
    error: facts.error,
    bound: facts.bound,
    most: facts.most,
  }),
})

export const graphqlBody = z
  .strictObject({
    data: z.record(z.string(), z.unknown()).nullable().optional(),
    errors: z.array(graphqlError).min(1).optional(),
  })
  .refine(({ data, errors }) => errors !== undefined || (data !== undefined && data !== null), {
    error: 'has neither data nor errors',
  })

const taskError = z.strictObject({
  code: z.enum(['SYNTAX', 'RUNTIME', 'NO_OUTCOME', 'TIMEOUT', 'MEMORY', 'RESULT', 'LIMIT', 'CRASHED']),
  message: z.string(),
  line: z.int().positive().nullable(),
  column: z.int().positive().nullable(),
  stack: z.string().nullable(),
  hint: z.string().nullable(),
})

const execution = z
  .strictObject({
    id: guid,
    name: z.string().min(1).max(200),
    outcome: z.enum(['exit', 'fail', 'error']),
    payload: z.unknown(),
    message: z.string().nullable(),
    error: taskError.nullable(),
    logs: z.array(
      z.strictObject({
        at: z.iso.datetime(),
        level: z.enum(['debug', 'info', 'warn', 'error']),
        data: z.array(z.unknown()),
      }),
    ),
    request_context: z.strictObject({ txnID: guid, txnSource: z.string().min(1) }),
    duration_ms: z.number().nonnegative(),
  })
  .refine(({ outcome, payload, message, error }) => {
    const others = { exit: [message, error], fail: [payload, error], error: [payload, message] }[outcome]
    return others.every(value => value === null) && (outcome !== 'fail' || message !== null)
  }, 'says more than its outcome')

export const executionBody = z.strictObject({ task_execution: execution })
