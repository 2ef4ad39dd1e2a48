import { contractRoutes, type MatchedRoute } from '../judge/contract-routes.ts'
import { isIdText, isIdValue } from '../values/id-texts.ts'
import { expectTransport, isEncoded } from '../wire/expect-transport.ts'
import { memberOf, readSentBody, type SentBody } from '../wire/read-sent-body.ts'
import type { WireCase } from '../wire/wire-case.ts'
import type { WireRequest } from '../wire/wire-request.ts'

interface RestExpectation {
  readonly sample: Pick<WireCase, 'credential'>
  readonly request: WireRequest
  readonly matched: MatchedRoute | null
  /** Null where the target cannot be decoded. */
  readonly path: string | null
}

const refusals = [400, 401, 403, 415]

/**
 * The statuses that the contract allows for a request, by rules of the tests' own: one, where the input alone decides.
 */
export function expectRest(expectation: RestExpectation): readonly number[] {
  const { request, matched, path } = expectation
  // Node's parser refuses such bytes in a target.
  if (/[^\x21-\x7e]/.test(request.target)) return [400]
  const transport = expectTransport(request)
  if (transport !== null) return [transport]
  if (path === null) return [400]
  if (matched !== null) return expectRoute({ ...expectation, matched })
  return contractRoutes.some(route => route.path.test(path)) ? [405] : [404]
}

function expectRoute({ sample, request, matched }: RestExpectation & { matched: MatchedRoute }) {
  const { route, id } = matched
  const statuses = Object.keys(route.bodies).map(Number)
  if (route.open === true) return statuses
  if (sample.credential === 'none' || sample.credential === 'bad') return [401]
  // A GET ignores its body, and so does a HEAD.
  if (request.method !== 'GET' && request.method !== 'HEAD' && isEncoded(request)) return [415]
  const takesBody = request.method === 'POST' || request.method === 'PUT'
  const faults = takesBody ? faultsOfBody(route.name, readSentBody(request)) : []
  if (faults === 'unsure' || (!takesBody && request.body !== null)) {
    return [...statuses, ...route.refusals, ...refusals]
  }
  const badId = (id !== null && !isIdText(id)) || hasBadIds(route.name, request)
  const bad = badId ? [...faults, 400] : faults
  // Scopes stand on the fields, so what cannot be read is refused for that or for want of them.
  if (sample.credential === 'idle') return [...bad, 403, ...route.refusals.filter(status => status === 400)]
  return bad.length > 0 ? bad : [...statuses, ...route.refusals.filter(status => status !== 413)]
}

function hasBadIds(route: string, { target }: WireRequest): boolean {
  if (route !== 'list') return false
  const query = /^[^?#]*\?([^#]*)/.exec(target)?.[1] ?? ''
  const ids = new URLSearchParams(query).getAll('ids[]')
  return ids.length === 0 || ids.length > 1_000 || !ids.every(isIdText)
}

// The statuses of a body that cannot be taken; none for one that can.
function faultsOfBody(route: string, body: SentBody): readonly number[] | 'unsure' {
  // Almost any text is a source, and only a compiler knows which.
  if (route === 'saveFunction') return 'unsure'
  switch (body.kind) {
    case 'unsure':
      return 'unsure'
    case 'none':
      return [400, 415]
    case 'foreign':
      return route === 'execute' ? 'unsure' : [415]
    case 'broken':
      return [400]
    case 'json':
      if (route === 'execute') return 'unsure'
      return fits(route, body.value) ? [] : [400]
    default:
      return body satisfies never
  }
}

function fits(route: string, body: unknown): boolean {
  switch (route) {
    case 'create': {
      const pair = memberOf(body, 'team_membership')
      return isIdValue(memberOf(pair, 'user_id')) && isIdValue(memberOf(pair, 'team_id'))
    }
    case 'update': {
      const given = ['user_id', 'team_id']
        .map(name => memberOf(memberOf(body, 'team_membership'), name))
        .filter(value => value !== undefined)
      return given.length > 0 && given.every(isIdValue)
    }
    case 'saveUser': {
      const user = memberOf(body, 'user')
      return isObject(user) && isEmail(memberOf(user, 'email')) && isName(memberOf(user, 'display_name'))
    }
    case 'saveTeam': {
      const team = memberOf(body, 'team')
      return isObject(team) && isName(memberOf(team, 'name'))
    }
    default:
      return true
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isName(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'string' && value !== '' && value.length <= 200 && isStorable(value)
}

function isEmail(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return (
    typeof value === 'string' && value.length <= 320 && isStorable(value) && /^[^@\s]+@[^@\s]+$/.test(value)
  )
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
