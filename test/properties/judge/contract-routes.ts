import type { z } from 'zod'
import {
  executionBody,
  frontPage,
  functionBody,
  healthBody,
  membershipBody,
  membershipListBody,
  problemBody,
  readyBody,
  savedFunctionBody,
  teamBody,
  unreadyBody,
  userBody,
} from './contract-shapes.ts'

/** What the contract lets one method of one path answer. */
export interface ContractRoute {
  readonly name: string
  readonly method: string
  readonly path: RegExp
  readonly open?: boolean
  /** Its bodies are HTML, for a browser. */
  readonly isPage?: boolean
  /** Statuses with the shapes of their bodies; null for none. */
  readonly bodies: Readonly<Record<number, z.ZodType | null>>
  /** Refusals that are this route's own, besides 400, 401, 403 and 415, which all have. */
  readonly refusals: readonly number[]
}

const memberships = /^\/platform\/team_memberships$/
const membership = /^\/platform\/team_memberships\/([^/]*)$/
const user = /^\/platform\/users\/([^/]*)$/
const storedFunction = /^\/platform\/functions\/[^/]*$/
const team = /^\/platform\/teams\/([^/]*)$/

/** The REST side, row by row (contract, sections 1, 2, 4, 5 and 9). */
export const contractRoutes: readonly ContractRoute[] = [
  { name: 'list', method: 'GET', path: memberships, bodies: { 200: membershipListBody }, refusals: [] },
  {
    name: 'create',
    method: 'POST',
    path: memberships,
    bodies: { 201: membershipBody },
    refusals: [409, 413],
  },
  { name: 'read', method: 'GET', path: membership, bodies: { 200: membershipBody }, refusals: [404] },
  {
    name: 'update',
    method: 'PUT',
    path: membership,
    bodies: { 200: membershipBody },
    refusals: [404, 409, 412, 413],
  },
  { name: 'delete', method: 'DELETE', path: membership, bodies: { 204: null }, refusals: [404, 412, 413] },
  { name: 'user', method: 'GET', path: user, bodies: { 200: userBody }, refusals: [404] },
  { name: 'saveUser', method: 'PUT', path: user, bodies: { 200: userBody }, refusals: [413] },
  { name: 'team', method: 'GET', path: team, bodies: { 200: teamBody }, refusals: [404] },
  { name: 'saveTeam', method: 'PUT', path: team, bodies: { 200: teamBody }, refusals: [413] },
  {
    name: 'function',
    method: 'GET',
    path: storedFunction,
    bodies: { 200: functionBody },
    refusals: [400, 404],
  },
  {
    name: 'saveFunction',
    method: 'PUT',
    path: storedFunction,
    bodies: { 200: savedFunctionBody, 201: savedFunctionBody, 422: problemBody },
    refusals: [409, 412, 413],
  },
  {
    name: 'deleteFunction',
    method: 'DELETE',
    path: storedFunction,
    bodies: { 204: null },
    refusals: [400, 404, 412, 413],
  },
  {
    name: 'execute',
    method: 'POST',
    path: /^\/api\/1\/endpoint\/execute$/,
    bodies: { 200: executionBody, 422: executionBody },
    refusals: [413, 429],
  },
  {
    name: 'health',
    method: 'GET',
    path: /^\/health$/,
    open: true,
    bodies: { 200: healthBody },
    refusals: [],
  },
  {
    name: 'ready',
    method: 'GET',
    path: /^\/ready$/,
    open: true,
    bodies: { 200: readyBody, 503: unreadyBody },
    refusals: [],
  },
  {
    name: 'front page',
    method: 'GET',
    path: /^\/$/,
    open: true,
    isPage: true,
    bodies: { 200: frontPage },
    refusals: [],
  },
]

export interface MatchedRoute {
  readonly route: ContractRoute
  /** The `{id}` of the path, decoded. */
  readonly id: string | null
}

/** The path of a request target, without what a client may put around it; null where it cannot be decoded. */
export function pathOf(target: string): string | null {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*(?=[/?#]|$)/i, '').split(/[?#]/, 1)
  try {
    // An escaped slash separates nothing; it stays apart as another sign that no id has either.
    const parts = path.split('/').map(part => decodeURIComponent(part).replaceAll('/', '\u2215'))
    return parts.join('/') || '/'
  } catch {
    return null
  }
}

/** The row that a request meets, a `HEAD` that of its `GET`; null where there is none. */
export function matchRoute(method: string, path: string): MatchedRoute | null {
  for (const route of contractRoutes) {
    if (route.method !== (method === 'HEAD' ? 'GET' : method)) continue
    const match = route.path.exec(path)
    if (match !== null) return { route, id: match[1] ?? null }
  }
  return null
}
