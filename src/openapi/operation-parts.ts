import { keyPattern } from '../domain/idempotency/key-rule.ts'
import {
  type Answers,
  guarded,
  markReplayed,
  pick,
  refuse,
  refuseScript,
  refuseUnderKey,
  withBody,
} from './answers.ts'
import { examples } from './examples.ts'
import { id as idSchema, listOf, nameSchema, ref, type Schema } from './schemas.ts'

/** An operation of the document. */
export interface DocumentedOperation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** With parameters in braces. */
  readonly path: string
  readonly id: string
  readonly tag: string
  readonly summary: string
  /** The scope that it needs; null for an operation without a credential. */
  readonly scope: string | null
  readonly parameters?: readonly object[]
  /** Content by media type. */
  readonly body?: { readonly content: object; readonly required: boolean }
  readonly answers: Answers
}

export const parameter = (place: string, name: string, schema: Schema, more: object = {}) => ({
  name,
  in: place,
  required: place === 'path',
  schema,
  ...more,
})

export const id = parameter('path', 'id', idSchema)
export const ids = parameter('query', 'ids[]', listOf(idSchema, { minItems: 1, maxItems: 1_000 }), {
  required: true,
  style: 'form',
  explode: true,
  example: [1, 2],
})
export const name = parameter('path', 'name', nameSchema)
export const ifMatch = parameter(
  'header',
  'If-Match',
  { type: 'string' },
  {
    description: 'The `ETag` of a read: the record must not have changed since.',
    example: '"1"',
  },
)
export const idempotencyKey = parameter(
  'header',
  'Idempotency-Key',
  { type: 'string', pattern: keyPattern.source },
  {
    description: 'The same request under the same key is done once. It is kept for 24 hours.',
    example: '6f1d8c1e-3c44-4f8b-9a53-6b1f0e7f2f10',
  },
)
export const prefer = parameter(
  'header',
  'Prefer',
  { type: 'string' },
  {
    description: 'Refuses unknown fields of the body with 400, which are ignored otherwise (RFC 7240).',
    example: 'handling=strict',
  },
)
export const caseTypeCode = parameter('query', 'case_type_code', nameSchema, {
  description: 'The case type of the function; without it the function without a case type.',
})

export const jsonBody = (schema: string, example: unknown, required = true) => ({
  required,
  content: { 'application/json': { schema: ref(schema), example } },
})
export const bodyOrForm = (
  [schema, example]: readonly [string, unknown],
  [form, formExample]: readonly [string, unknown],
) => ({
  required: true,
  content: {
    'application/json': { schema: ref(schema), example },
    'application/x-www-form-urlencoded': { schema: ref(form), example: formExample },
  },
})

export const reads = (...more: readonly number[]) => refuse(...guarded, ...more)
// A key may belong to another request.
export const writes = (...more: readonly number[]) => refuseUnderKey(...guarded, ...withBody, 409, ...more)
export const gone = { 204: { description: 'Done.', headers: pick('Idempotency-Replayed') } }
export const hookCodes = ['SCRIPT_FAILED', 'SCRIPT_ERROR', 'TOO_DEEP'] as const
export const byHooks = {
  422: markReplayed(refuseScript('A hook refused the change, or failed.', hookCodes)),
}

/** Returns the links from a new record to operations on it. `names` are the members of the answer that identify it. */
export function links(record: string, operations: readonly string[], names: readonly string[] = ['id']) {
  const parameters = Object.fromEntries(names.map(name => [name, `$response.body#/${record}/${name}`]))
  return {
    links: Object.fromEntries(operations.map(operationId => [operationId, { operationId, parameters }])),
  }
}

export const written = ['ETag', 'Idempotency-Replayed'] as const
export const created = ['Location', ...written] as const

/** A run that did not end in `exit`, or a problem document with one of these codes. */
export function runFailed(description: string, codes: Parameters<typeof refuseScript>[1]) {
  const { content } = refuseScript(description, codes)
  return {
    description,
    headers: pick('Idempotency-Replayed'),
    content: {
      'application/json': { schema: ref('TaskExecutionBody'), example: examples.failed },
      ...content,
    },
  }
}
