import { catalogue, conflictReasons, type ErrorCode, type FactNames, toMember } from '../errors.ts'
import {
  guid,
  hash,
  id,
  listOf,
  nameSchema,
  object,
  orNull,
  type Schema,
  scriptErrorCodes,
} from './schemas.ts'

type FactSchemas = {
  readonly [Code in keyof FactNames]: { readonly [Name in FactNames[Code]]: Schema }
}

const text: Schema = { type: 'string' }
const integer: Schema = { type: 'integer' }
const place = { line: orNull('integer'), column: orNull('integer') }

const hookRun = {
  function: nameSchema,
  hook: object({
    id,
    event: { type: 'string', enum: ['pre-save', 'post-save', 'pre-delete', 'post-delete'] },
  }),
  runId: guid,
  txnID: guid,
}

// Callers without `runs:read` get the code alone.
const error = object(
  {
    code: { type: 'string', enum: scriptErrorCodes },
    message: text,
    ...place,
    stack: orNull('string'),
    hint: orNull('string'),
  },
  ['message', 'line', 'column', 'stack', 'hint'],
)

const factSchemas: FactSchemas = {
  BAD_USER_INPUT: { bound: text, most: integer, ...place },
  UNAUTHENTICATED: { error: { type: 'string', const: 'invalid_token' } },
  FORBIDDEN: { scope: text },
  CONFLICT: { existingId: id, originalStatus: integer, location: text },
  PRECONDITION_FAILED: { version: integer, liveVersion: { anyOf: [hash, { type: 'null' }] } },
  SYNTAX: place,
  SCRIPT_FAILED: hookRun,
  SCRIPT_ERROR: { ...hookRun, error },
}

/** A problem document (RFC 9457) with one of these codes. */
export function problem(status: number, codes: readonly ErrorCode[]): Schema {
  const reason = codes.includes('CONFLICT') || codes.includes('PRECONDITION_FAILED')
  const facts = codes
    .flatMap(code => Object.entries(code in factSchemas ? factSchemas[code as keyof FactNames] : {}))
    .map(([name, schema]) => [toMember(name), schema] as const)
  return object(
    {
      type: { type: 'string', format: 'uri' },
      title: { type: 'string', enum: [...new Set(codes.map(code => catalogue[code].title))] },
      status: { type: 'integer', const: status },
      detail: { type: 'string' },
      code: { type: 'string', enum: codes },
      ...(reason ? { reason: { type: 'string', enum: Object.keys(conflictReasons) } } : {}),
      errors: listOf(object({ pointer: { type: 'string' }, detail: { type: 'string' } })),
      ...Object.fromEntries(facts),
    },
    ['errors', ...facts.map(([name]) => name)],
  )
}
