import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
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

/** Says what is wrong with a value by a schema of the document; null if it fits. */
export const describeMisfit = createDescribe('document', value => value)

/** Like `describeMisfit`, for an answer or an example: all its members are documented, so that clients find them. */
export const describeAnswerMisfit = createDescribe('answers', value =>
  value?.properties === undefined ? value : { ...value, additionalProperties: false },
)

// `adapt` changes each value of the document.
function createDescribe(name: string, adapt: (value: Schema | null) => unknown) {
  const place = `https://rostrum.test/${name}`
  const read = (schema: object) =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components', `"${place}#/components`), (_, value) =>
      adapt(value),
    ) as Schema
  ajv.addSchema({ $id: place, ...read({ components: document.components }) })
  const compiled = new Map<Schema, ValidateFunction>()
  return (schema: Schema, value: unknown): string | null => {
    let validate = compiled.get(schema)
    if (validate === undefined) {
      validate = ajv.compile({ $id: `${place}/${compiled.size}`, ...read(schema) })
      compiled.set(schema, validate)
    }
    return validate(value) ? null : (validate.errors ?? []).map(describeError).join(', ')
  }
}

function describeError({ instancePath, message, params }: ErrorObject): string {
  const { additionalProperty: surplus } = params
  return `${instancePath} ${surplus === undefined ? message : `has \`${surplus}\`, which is not documented`}`
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
  const misfit = describeAnswerMisfit(content.schema, JSON.parse(text))
  return misfit === null ? null : `${place}: ${misfit}: ${text.slice(0, 300)}`
}

function resolveHeader(header: Schema): Schema {
  const name = String(header.$ref ?? '').replace('#/components/headers/', '')
  return document.components.headers[name] ?? header
}
