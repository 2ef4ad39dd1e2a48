import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { printDocument } from '../../src/openapi/print-document.ts'

export type Schema = Readonly<Record<string, unknown>>

interface Content {
  readonly schema: Schema
  readonly example?: unknown
}

export interface Answer {
  readonly description: string
  readonly headers?: Readonly<Record<string, Schema>>
  readonly content?: Readonly<Record<string, Content>>
  readonly links?: Readonly<Record<string, { readonly operationId: string }>>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: Schema
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, Answer>>
}

export interface Document {
  readonly openapi: string
  readonly info: { readonly version: string }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly headers: Readonly<Record<string, Schema>>
  }
}

export const document = JSON.parse(printDocument()) as Document

export interface PlacedOperation extends Operation {
  readonly method: string
  readonly path: string
}

export const operations: readonly PlacedOperation[] = Object.entries(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
)

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema({ $id: 'https://rostrum.test/document', components: document.components })

const compiled = new Map<Schema, ValidateFunction>()

/** Says what is wrong with a value by a schema of the document; null if it fits. */
export function describeMisfit(schema: Schema, value: unknown): string | null {
  let validate = compiled.get(schema)
  if (validate === undefined) {
    validate = ajv.compile({ $id: `https://rostrum.test/${compiled.size}`, ...relocate(schema) })
    compiled.set(schema, validate)
  }
  return validate(value) ? null : ajv.errorsText(validate.errors)
}

// A reference into the document, from a schema that is compiled by itself.
function relocate(schema: Schema): Schema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components', '"https://rostrum.test/document#/components'),
  ) as Schema
}

const patterns = operations.map(operation => ({
  operation,
  pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}))

/** The operation that a request meets; null if the document has none. */
export function findOperation(method: string, target: string): PlacedOperation | null {
  const [path = ''] = target.split('?')
  const found = patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(path))
  return found?.operation ?? null
}

/** Says what an answer does that the document does not say; null if it is as documented. */
export function findUndocumented(
  operation: PlacedOperation,
  { status, headers, text }: { readonly status: number; readonly headers: Headers; readonly text: string },
): string | null {
  const place = `${operation.method} ${operation.path} answered ${status}`
  const answer = operation.responses[status]
  if (answer === undefined) return `${place}, which is not documented: ${text.slice(0, 200)}`
  const missing = Object.entries(answer.headers ?? {})
    .filter(([, header]) => resolveHeader(header).required === true)
    .filter(([name]) => !headers.has(name))
  if (missing.length > 0) return `${place} without ${missing.map(([name]) => name).join(', ')}`
  const surplus = Object.keys(document.components.headers).filter(
    name => headers.has(name) && !Object.hasOwn(answer.headers ?? {}, name),
  )
  if (surplus.length > 0) return `${place} with ${surplus.join(', ')}`
  // An answer that was too long to keep is replayed without its body.
  const mayBeEmpty = answer.content === undefined || headers.has('idempotency-replayed')
  if (text === '') return mayBeEmpty ? null : `${place} without a body`
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  const content = answer.content?.[type]
  if (content === undefined) return `${place} with \`${type}\``
  if (!type.endsWith('json')) return null
  const value: unknown = JSON.parse(text)
  const misfit = describeMisfit(content.schema, value) ?? findSurplus(type, content.schema, value)
  return misfit === null ? null : `${place}: ${misfit}: ${text.slice(0, 300)}`
}

// A problem document has only members that are documented, so that clients find them.
function findSurplus(type: string, schema: Schema, value: unknown): string | null {
  if (type !== 'application/problem+json') return null
  const name = String(schema.$ref ?? '').replace('#/components/schemas/', '')
  const { properties } = document.components.schemas[name] ?? schema
  const surplus = Object.keys(value as object).filter(member => !Object.hasOwn(properties as object, member))
  return surplus.length === 0 ? null : `not documented: ${surplus.join(', ')}`
}

function resolveHeader(header: Schema): Schema {
  const name = String(header.$ref ?? '').replace('#/components/headers/', '')
  return document.components.headers[name] ?? header
}
