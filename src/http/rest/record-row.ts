import { notFound, RostrumError } from '../../errors.ts'
import { JsonText, writeJson } from '../../json/json-text.ts'
import { fieldOf, type Member, type Operation, type RecordShape } from '../../operations/operation.ts'
import { parseParameters } from '../request/parse-parameters.ts'
import { readIfMatch, toEtag } from './if-match.ts'
import { createInputReader, json, type RestInput } from './read-input.ts'
import type { Method, RestAnswer, RestRequest, RestRow } from './rest-row.ts'

type Row = Readonly<Record<string, unknown>>

/** The REST row of an operation on records (contract, sections 1 and 2). */
export function recordRow(
  route: `${Method} /${string}`,
  operation: Operation,
  input: RestInput = { members: {} },
): RestRow {
  const [method, path] = route.split(' ') as [Method, string]
  const { answer: shape } = operation
  const read: Readonly<Record<string, (request: RestRequest) => unknown>> = {
    id: ({ id }) => id,
    ids: ({ queryString }) => readIds(queryString),
    input: createInputReader(input, shape),
    ifVersions: ({ ifMatch }) => readIfMatch(ifMatch),
  }
  const variables = Object.keys(operation.variables)
  const pointers = Object.fromEntries(
    Object.keys(input.members).map(name => [`/${fieldOf(name)}`, `/${shape.name}/${name}`] as const),
  )
  return {
    method,
    path,
    operation,
    bodies: Object.values(input.members).includes(json) ? 'data' : 'records',
    readVariables(request) {
      const values: Record<string, unknown> = {}
      for (const name of variables) values[name] = read[name]?.(request)
      return values
    },
    answer: createRecordAnswer(method, path, operation),
    pointersInto: () => pointers,
  }
}

function createRecordAnswer(
  method: Method,
  path: string,
  { variables, within, answer: shape }: Operation,
): RestRow['answer'] {
  if (method === 'DELETE') return () => ({ status: 204 })
  if ('ids' in variables) {
    const before = `{${JSON.stringify(`${shape.name}s`)}:[`
    const write = createRecordWriter(shape.members)
    return rows => {
      let text = before
      for (const row of rows as readonly Row[]) text += write(row, text === before ? '{' : ',{')
      return { status: 200, body: new JsonText(`${text}]}`) }
    }
  }
  return (value, { id }) => {
    const row = within === null || value === null ? value : (value as Row)[within]
    if (row === null) throw notFound(shape.name.replaceAll('_', ' '), id)
    return answerRecord(row as Row, shape, method === 'POST' ? path : null)
  }
}

/** Returns the answer with a record. For a new record, `createdAt` is the path of the collection, for `Location`. */
function answerRecord(row: Row, shape: RecordShape, createdAt: string | null): RestAnswer {
  const { version } = row
  return {
    status: createdAt === null ? 200 : 201,
    headers: {
      ...(createdAt === null ? {} : { location: `${createdAt}/${row.id}` }),
      ...(typeof version === 'number' ? { etag: toEtag(version) } : {}),
    },
    body: { [shape.name]: toRecord(shape.members, row) },
  }
}

/** Turns a row of GraphQL into the record that REST callers see. */
export function toRecord(members: readonly Member[], row: Row): Record<string, unknown> {
  const record: Record<string, unknown> = {}
  for (const member of members) record[member.name] = toValue(member, row[member.field])
  return record
}

function toValue({ kind, members }: Member, value: unknown): unknown {
  switch (kind) {
    case 'id':
      return Number(value)
    case 'word':
      return String(value).toLowerCase()
    case 'list':
      return (value as readonly Row[]).map(row => toRecord(members, row))
    case 'time':
    case 'value':
      return value
    default:
      return kind satisfies never
  }
}

/**
 * Returns a function that writes a record as JSON, with the given opening brace. A list may have a thousand records. To
 * build objects and write them together takes three times as long.
 */
function createRecordWriter(members: readonly Member[]): (row: Row, opening: string) => string {
  const written = members.map(member => {
    const key = `${JSON.stringify(member.name)}:`
    return { member, key, laterKey: `,${key}` }
  })
  return (row, opening) => {
    let text = opening
    for (const { member, key, laterKey } of written) {
      const value = writeMember(member, row[member.field])
      if (value !== undefined) text += (text === opening ? key : laterKey) + value
    }
    return `${text}}`
  }
}

// An id is a number in the record and its text in GraphQL. The text of a time has no character to escape.
function writeMember(member: Member, value: unknown): string | undefined {
  if (typeof value === 'string') {
    if (member.kind === 'id') return value
    if (member.kind === 'time') return `"${value}"`
  }
  return writeValue(toValue(member, value))
}

// Characters that JSON writes as they are. To look for others is faster than `JSON.stringify` for a short text.
const plainText = /^[ !#-[\]-~]*$/

// Most values are numbers, short words and long texts of JSON. Undefined is left out, as in any JSON.
function writeValue(value: unknown): string | undefined {
  if (typeof value === 'string') return plainText.test(value) ? `"${value}"` : JSON.stringify(value)
  if (value instanceof JsonText) return value.text
  if (value === null) return 'null'
  if (Number.isSafeInteger(value)) return String(value)
  return typeof value === 'object' ? writeJson(value) : JSON.stringify(value)
}

const maxQueryFields = 10_000

/**
 * Reads the values of `ids[]` from a raw query string, in order. The brackets may be plain or `%5B%5D` (contract,
 * section 2). It never builds nested objects from brackets. Throws `BAD_USER_INPUT` if there are no ids.
 */
function readIds(queryString: string): string[] {
  const ids = parseParameters({ text: queryString, maxFields: maxQueryFields, what: 'A query string' })
    .filter(([name]) => name === 'ids[]')
    .map(([, id]) => id)
  if (ids.length > 0) return ids
  throw new RostrumError('BAD_USER_INPUT', 'Name the ids to list, as in `?ids[]=1&ids[]=2`.')
}
