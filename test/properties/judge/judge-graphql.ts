import { getOperationAST, parse } from 'graphql'
import type { RestExchange } from '../rest/judge-rest.ts'
import { expectTransport, isEncoded } from '../wire/expect-transport.ts'
import { readSentBody, type SentBody } from '../wire/read-sent-body.ts'
import type { WireAnswer } from '../wire/wire-answer.ts'
import { sentHeader, type WireRequest } from '../wire/wire-request.ts'
import { graphqlBody, statusOfCode } from './contract-shapes.ts'
import { findCommonFaults } from './judge-answer.ts'

const statuses = [200, 400, 403, 405, 406, 413, 415, 431]

/** Everything that is wrong with the answer to a request for `/graphql` (contract, section 3; GraphQL over HTTP). */
export function findGraphqlFaults({ sample, request, answer, secrets }: RestExchange): string[] {
  const isHead = request.method === 'HEAD'
  const common = findCommonFaults({ answer, isHead, secrets })
  const expected = expectStatuses(request, sample.credential)
  const faults = [
    ...common,
    ...(expected.includes(answer.status)
      ? []
      : [`status ${answer.status}, expected ${expected.join(' or ')}`]),
  ]
  return [...faults, ...(isHead ? [] : findBodyFaults(request, answer)), ...findEffects(request, answer)]
}

// A GET must change nothing: nothing but a query may have been executed.
function findEffects({ method, target }: WireRequest, { json }: WireAnswer): string[] {
  if (method !== 'GET' || graphqlBody.safeParse(json).data?.data === undefined) return []
  const given = new URLSearchParams(/^[^?#]*\?([^#]*)/.exec(target)?.[1] ?? '')
  // An empty name is no name.
  const operation = getOperationAST(parse(given.get('query') ?? ''), given.get('operationName') || null)
  return operation?.operation === 'query' ? [] : [`a GET has executed a ${operation?.operation}`]
}

function expectStatuses(request: WireRequest, credential: RestExchange['sample']['credential']): number[] {
  const transport = expectTransport(request)
  if (transport !== null) return [transport]
  if (request.method !== 'GET' && request.method !== 'POST') return [405]
  // A request that prefers HTML gets a page, with any credential.
  const page = request.method === 'GET' && /html/.test(sentHeader(request, 'accept') ?? '') ? [200] : []
  if (credential === 'none' || credential === 'bad') return [...page, 401]
  if (request.method === 'GET') return statuses
  return isEncoded(request) ? [415] : expectPosted(readSentBody(request))
}

function expectPosted({ kind }: SentBody): number[] {
  if (kind === 'foreign') return [415]
  return kind === 'broken' ? [400] : statuses.filter(status => status !== 405)
}

function findBodyFaults(request: WireRequest, answer: WireAnswer): string[] {
  const type = answer.headers.get('content-type') ?? ''
  if (type === 'text/html; charset=utf-8' && request.method === 'GET' && answer.status === 200) return []
  if (type.startsWith('text/event-stream')) return findStreamFaults(answer)
  if (!/^application\/(graphql-response\+)?json; charset=utf-8$/.test(type)) return [`content type ${type}`]
  return findResultFaults(answer.json, answer.status, type.startsWith('application/json'))
}

function findResultFaults(json: unknown, status: number, isPlainJson: boolean, isStream = false): string[] {
  const parsed = graphqlBody.safeParse(json)
  if (!parsed.success) return [`no GraphQL answer: ${parsed.error.message}`]
  const { data, errors = [] } = parsed.data
  if (data !== undefined) {
    const refused = errors.every(({ extensions }) => extensions.code === 'FORBIDDEN') && status === 403
    return status === 200 || refused ? [] : [`status ${status} with data`]
  }
  // Faults of a document are 200 where plain JSON is asked for, as the specification has it; all else has its own
  // status.
  const [first] = errors
  const own = first === undefined ? 0 : statusOfCode[first.extensions.code]
  const allowed = [own, ...(own === 400 ? [405, 406, 417, 431, ...(isPlainJson ? [200] : [])] : [])]
  if (isStream && status === 200 && own !== 401 && own !== 429) return []
  return allowed.includes(status) ? [] : [`status ${status} for ${first?.extensions.code}`]
}

function findStreamFaults({ text, status }: WireAnswer): string[] {
  const events = text.split('\n\n').filter(event => event.trim() !== '' && event.trim() !== ':')
  const [last, ...earlier] = events.toReversed()
  return [
    ...(/^event: complete/.test(last ?? '') ? [] : ['a stream that does not complete']),
    ...earlier.flatMap(event => {
      const data = /^event: next\ndata: ([^\r\n]*)$/.exec(event)?.[1]
      return data === undefined
        ? [`an odd event: ${event}`]
        : findResultFaults(JSON.parse(data), status, true, true)
    }),
  ]
}
