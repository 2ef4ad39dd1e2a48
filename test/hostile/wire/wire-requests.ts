import { toBytes } from '../../properties/wire/wire-request.ts'
import type { LineInput } from '../corpus/corpus-lines.ts'
import type { ExchangeRequest } from './wire-exchange.ts'
import type { WireStage } from './wire-stage.ts'

type Exchange = Omit<ExchangeRequest, 'url' | 'maxMs'>

interface RawInput {
  readonly write: readonly string[]
  readonly thenByteEveryMs?: number
  readonly neverRead?: boolean
  readonly halfClose?: boolean
  /** How often all of it is written. */
  readonly repeat?: number
}

interface GraphqlInput {
  readonly query?: string
  readonly variables?: unknown
  readonly operationName?: unknown
  readonly extensions?: unknown
  readonly body?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: 'GET' | 'POST'
  /** The account whose token is sent; A by default. */
  readonly as?: 'A' | 'B' | 'nobody'
}

interface HttpInput {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly raw?: RawInput
  readonly parallel?: number
  readonly abortAfterMs?: number
}

// Bytes that leave their connection open are not waited for until it is closed.
const idleMs = 2_000

const graphqlKeys = ['query', 'variables', 'operationName', 'extensions', 'body', 'headers', 'method', 'as']
const httpKeys = ['method', 'path', 'headers', 'body', 'raw', 'parallel', 'abortAfterMs']
const rawKeys = ['write', 'thenByteEveryMs', 'neverRead', 'halfClose', 'repeat']

/** What a line of kind `graphql` sends. */
export function toGraphqlExchange(input: LineInput, stage: WireStage): Exchange {
  refuseUnknown(input, graphqlKeys)
  const {
    query,
    variables,
    operationName,
    extensions,
    body,
    headers,
    method,
    as = 'A',
  } = input as GraphqlInput
  const parameters = { query, variables, operationName, extensions }
  const sent = {
    'content-type': 'application/json',
    ...(as === 'nobody' ? {} : { authorization: `Bearer ${stage.tokens[as]}` }),
    ...headers,
  }
  if (method === 'GET') return { ...get(`/graphql?${toQueryString(parameters)}`, sent), answers: 1 }
  return toHttpExchange({
    method: 'POST',
    path: '/graphql',
    headers: sent,
    body: body ?? JSON.stringify(parameters),
  })
}

/** What a line of kind `http` sends, once. */
export function toHttpExchange(input: LineInput): Exchange {
  refuseUnknown(input, httpKeys)
  const { method = 'GET', path = '/', headers = {}, body, raw, abortAfterMs } = input as HttpInput
  if (raw !== undefined) return toRawExchange(raw)
  const bytes = toBytes({
    method,
    target: path,
    headers: Object.entries(headers),
    body: body === undefined ? null : Buffer.from(body),
  })
  return {
    writes: [bytes],
    isHead: method === 'HEAD',
    answers: 1,
    ...(abortAfterMs === undefined ? {} : { abortAfterMs }),
  }
}

function toRawExchange(raw: RawInput): Exchange {
  refuseUnknown({ ...raw }, rawKeys)
  const { write, repeat = 1, ...rest } = raw
  // The corpus writes its line ends with one backslash too many.
  const withLineEnds = (text: string) => text.replaceAll('\\r', '\r').replaceAll('\\n', '\n')
  const once = write.map(text => Buffer.from(withLineEnds(text), 'latin1'))
  // One that goes on to drip is over when the server says so.
  const patience = rest.thenByteEveryMs === undefined ? { idleMs } : {}
  return { ...rest, ...patience, writes: Array.from({ length: repeat }, () => once).flat() }
}

function get(target: string, headers: Readonly<Record<string, string>>): Pick<Exchange, 'writes'> {
  return { writes: [toBytes({ method: 'GET', target, headers: Object.entries(headers), body: null })] }
}

function toQueryString(parameters: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  return given.map(([name, value]) => `${name}=${encodeURIComponent(text(value))}`).join('&')
}

function refuseUnknown(input: LineInput, known: readonly string[]): void {
  const unknown = Object.keys(input).filter(key => !known.includes(key))
  if (unknown.length > 0) throw new Error(`No runner knows \`${unknown.join('`, `')}\` of an input`)
}
