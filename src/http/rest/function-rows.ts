import Negotiator from 'negotiator'
import {
  describeCompileError,
  noFunction,
  UncompiledSource,
} from '../../domain/functions/function-refusals.ts'
import { RostrumError, toFieldCode } from '../../errors.ts'
import { functionShape, functions } from '../../operations/functions.ts'
import { hasComment, readSourceBody, refuseOtherFunction, SourceText } from '../body/content/source-body.ts'
import { boundPreferences } from '../request/negotiate-accept.ts'
import { readFunctionQuery } from './function-query.ts'
import { readIfLive, toEtag } from './if-match.ts'
import { toRecord } from './record-row.ts'
import type { RestAnswer, RestRequest, RestRow } from './rest-row.ts'

interface FunctionRow extends Readonly<Record<string, unknown>> {
  readonly live: { readonly hash: string; readonly sourceCode?: string }
  readonly saved?: { readonly version: string; readonly created: boolean }
}

const path = '/platform/functions/:name'

const getRow: RestRow = {
  method: 'GET',
  path,
  operation: functions.get,
  bodies: 'sources',
  readVariables: ({ name, queryString }) => ({ ...readName(name, queryString), exact: true }),
  answer(value, { name, queryString, accept }) {
    if (value === null) throw noFunction(readName(name, queryString))
    const row = value as FunctionRow
    const { hash, sourceCode = '' } = row.live
    const headers = { etag: toEtag(hash), vary: 'Accept' }
    if (prefersSource(accept)) return { status: 200, headers, source: sourceCode }
    const body = { function: { ...toFunctionRecord(row, hash), source_code: sourceCode } }
    return { status: 200, headers, body }
  },
  pointersInto: () => ({}),
}

const saveRow: RestRow = {
  method: 'PUT',
  path,
  operation: functions.save,
  bodies: 'sources',
  readVariables({ name, queryString, body, ifMatch, ifNoneMatch, isStrict }) {
    const query = readFunctionQuery(queryString, isStrict)
    const given = readSourceBody(body, isStrict)
    refuseOtherFunction(given.record, { name, caseTypeCode: query.caseTypeCode })
    const input = {
      name,
      caseTypeCode: query.caseTypeCode,
      sourceCode: given.sourceCode,
      comment: given.comment ?? query.comment,
      makeLive: given.makeLive ?? query.makeLive ?? true,
      ifLive: readIfLive(ifMatch, ifNoneMatch),
    }
    return { input }
  },
  answer(value): RestAnswer {
    const row = value as FunctionRow & Required<Pick<FunctionRow, 'saved'>>
    const { version, created } = row.saved
    return {
      status: created ? 201 : 200,
      headers: { etag: toEtag(row.live.hash) },
      body: { function: toFunctionRecord(row, version) },
    }
  },
  pointersInto: body => ({
    '/sourceCode': body instanceof SourceText ? '/source_code' : '/function/source_code',
    '/comment': hasComment(body) ? '/function/comment' : '/comment',
    '/caseTypeCode': '/case_type_code',
  }),
  toFailure(failure, renamed) {
    if (failure instanceof UncompiledSource && failure.scriptError.code === 'SYNTAX') {
      const { line, column } = failure.scriptError
      const message = `The source ${describeCompileError(failure.scriptError)}.`
      return new RostrumError('SYNTAX', message, { facts: { line, column } })
    }
    // Keeps only errors with a pointer into the body. Parts of the path, the query string, and a source that is the
    // whole body have no pointer.
    const fields = renamed.fields.filter(({ pointer }) => pointer.startsWith('/function/'))
    if (fields.length === renamed.fields.length) return renamed
    return new RostrumError(toFieldCode(renamed.code), renamed.message, { fields })
  },
}

const deleteRow: RestRow = {
  method: 'DELETE',
  path,
  operation: functions.delete,
  bodies: 'sources',
  readVariables: ({ name, queryString, ifMatch, isStrict }) => ({
    ...readName(name, queryString, isStrict),
    ifLive: readIfLive(ifMatch),
  }),
  answer: () => ({ status: 204 }),
  pointersInto: () => ({}),
}

/** Functions over REST (contract, section 9). */
export const functionRows: readonly RestRow[] = [getRow, saveRow, deleteRow]

function readName(name: string, queryString: string, isStrict = false) {
  return { name, caseTypeCode: readFunctionQuery(queryString, isStrict).caseTypeCode }
}

function toFunctionRecord({ live, ...row }: FunctionRow, version: string) {
  const { created_at, ...record } = toRecord(functionShape.members, row)
  return { ...record, live_version: live.hash, version, created_at }
}

const javascript = ['text/javascript', 'application/javascript']
const offered = ['application/json', ...javascript, ...javascript.map(type => `${type};charset=utf-8`)]

// True if the client prefers the source as it is. It gets JSON if it accepts both equally, or neither.
function prefersSource(accept: RestRequest['accept']): boolean {
  if (accept === undefined) return false
  const type = new Negotiator(boundPreferences({ accept })).mediaType(offered)
  return type !== undefined && type !== 'application/json'
}
