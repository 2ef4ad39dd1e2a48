import { type ContractRoute, type MatchedRoute, matchRoute, pathOf } from '../judge/contract-routes.ts'
import { problemBody } from '../judge/contract-shapes.ts'
import { findCommonFaults, findProblemFaults, type JudgedAnswer } from '../judge/judge-answer.ts'
import { pointsInto, readSentBody } from '../wire/read-sent-body.ts'
import type { WireAnswer } from '../wire/wire-answer.ts'
import type { WireCase } from '../wire/wire-case.ts'
import type { WireRequest } from '../wire/wire-request.ts'
import { expectRest } from './expect-rest.ts'

export interface RestExchange {
  readonly sample: Pick<WireCase, 'credential'>
  readonly request: WireRequest
  readonly answer: WireAnswer
  readonly secrets: readonly string[]
}

/** Everything that is wrong with the answer to a request that is not for `/graphql`. */
export function findRestFaults(exchange: RestExchange): string[] {
  const { request, answer, secrets } = exchange
  const isHead = request.method === 'HEAD'
  const judged: JudgedAnswer = { answer, isHead, secrets }
  const path = pathOf(request.target)
  const matched = path === null ? null : matchRoute(request.method, path)
  const expected = expectRest({ ...exchange, matched, path })
  return [
    ...findCommonFaults(judged),
    ...(expected.includes(answer.status)
      ? []
      : [`status ${answer.status}, expected ${[...new Set(expected)].join(' or ')}`]),
    ...(answer.status < 400 || answer.status === 422 || answer.status === 503
      ? findBodyFaults(matched, judged)
      : findProblemFaults(judged)),
    ...findPointerFaults(request, answer),
    ...(answer.status === 404 && isKnownPath(path) && matched === null && !answer.headers.has('allow')
      ? ['no Allow on a known path']
      : []),
  ]
}

function findBodyFaults(matched: MatchedRoute | null, { answer, isHead }: JudgedAnswer): string[] {
  const { status, text, json } = answer
  const shape = matched?.route.bodies[status]
  if (matched === null || shape === undefined) return [`no route answers ${status} here`]
  if (shape === null || isHead) return text === '' ? [] : ['a body where none belongs']
  const { route } = matched
  const parsed = shape.safeParse(route.isPage === true ? text : json)
  return [
    ...(parsed.success ? [] : [`not the shape of ${route.name}: ${parsed.error.message}`]),
    ...findHeaderFaults(route, answer),
  ]
}

function findHeaderFaults({ name, isPage }: ContractRoute, { headers, json, status }: WireAnswer): string[] {
  const type = headers.get('content-type')
  if (name === 'saveFunction' && status === 422)
    return type === 'application/problem+json; charset=utf-8' ? [] : ['not served as a problem']
  if (isPage === true) return type === 'text/html; charset=utf-8' ? [] : ['not served as HTML']
  if (type !== 'application/json; charset=utf-8') return ['not served as JSON']
  const id = (json as { team_membership?: { id: number } }).team_membership?.id
  const outcome = (json as { task_execution?: { outcome: string } }).task_execution?.outcome
  const place = `/platform/team_memberships/${id}`
  return [
    ...(findTag(name).test(headers.get('etag') ?? '') ? [] : ['no ETag']),
    ...(name === 'create' && headers.get('location') !== place ? ['no Location'] : []),
    ...(name === 'execute' && (status === 200) !== (outcome === 'exit') ? [`${status} for ${outcome}`] : []),
  ]
}

/** The pattern of the `ETag` of a route's answers. */
function findTag(name: string): RegExp {
  if (['create', 'read', 'update'].includes(name)) return /^"[1-9]\d*"$/
  return /unction$/.test(name) ? /^"[0-9a-f]{64}"$/ : /^/
}

// The fields that a refusal names are in the body that was sent (or missing from it).
function findPointerFaults(request: WireRequest, { json }: WireAnswer): string[] {
  const body = readSentBody(request)
  const problem = problemBody.safeParse(json)
  if (!problem.success || problem.data.errors === undefined || body.kind !== 'json') return []
  return problem.data.errors
    .filter(({ pointer }) => !pointsInto(body.value, pointer))
    .map(({ pointer }) => `points to ${pointer}, which is not in the body`)
}

function isKnownPath(path: string | null): boolean {
  const methods = ['GET', 'POST', 'PUT', 'DELETE']
  return path !== null && methods.some(method => matchRoute(method, path) !== null)
}
