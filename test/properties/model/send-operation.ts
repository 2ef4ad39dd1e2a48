import { graphqlBody, problemBody } from '../judge/contract-shapes.ts'
import type { WireAnswer } from '../wire/wire-answer.ts'
import type { WireRequest } from '../wire/wire-request.ts'
import type { Addressed, Outcome, Row } from './membership-model.ts'

const path = '/platform/team_memberships'
const fields = '{ id userId teamId version }'

interface Sent {
  readonly request: WireRequest
  /** Null for an answer that is none of the outcomes there are. */
  read(answer: WireAnswer): Outcome | null
}

/** The request of an operation, with how to read what came of it. */
export function toSent(operation: Addressed, token: string): Sent {
  return operation.side === 'rest' ? toRest(operation, token) : toGraphql(operation, token)
}

function toRest(operation: Addressed, token: string): Sent {
  const { kind, id } = operation
  const authorization = ['Authorization', `Bearer ${token}`] as const
  const ifVersion = 'ifVersion' in operation ? operation.ifVersion : null
  const ifMatch = ifVersion === null ? [] : [['If-Match', `"${ifVersion}"`] as const]
  const pair = kind === 'create' ? operation.pair : kind === 'move' ? operation.change : null
  const body = pair && { team_membership: { user_id: pair.user, team_id: pair.team } }
  const method = { create: 'POST', move: 'PUT', remove: 'DELETE', read: 'GET', list: 'GET' }[kind]
  const one = kind === 'create' || kind === 'list' ? '' : `/${id}`
  const query = kind === 'list' ? `?${operation.ids.map(each => `ids[]=${each}`).join('&')}` : ''
  return {
    request: {
      method,
      target: path + one + query,
      headers: [
        authorization,
        ...ifMatch,
        ...(body === null ? [] : [['Content-Type', 'application/json'] as const]),
      ],
      body: body === null ? null : Buffer.from(JSON.stringify(body)),
    },
    read: readRest,
  }
}

interface RestRow {
  readonly id: number
  readonly user_id: number
  readonly team_id: number
}

function readRest({ status, headers, json }: WireAnswer): Outcome | null {
  if (status === 204) return { kind: 'removed' }
  if (status >= 400) return readRefusal(problemBody.safeParse(json).data)
  const { team_membership: one, team_memberships: many } = json as {
    team_membership?: RestRow
    team_memberships?: RestRow[]
  }
  const version = Number(headers.get('etag')?.slice(1, -1))
  if (one !== undefined) return { kind: 'row', row: fromRest(one, version) }
  // The list has no versions.
  return many === undefined ? null : { kind: 'rows', rows: many.map(row => fromRest(row, Number.NaN)) }
}

function fromRest({ id, user_id: user, team_id: team }: RestRow, version: number): Row {
  return { id, user, team, version }
}

function toGraphql(operation: Addressed, token: string): Sent {
  const { kind, id, ids } = operation
  const ifVersions = 'ifVersion' in operation && operation.ifVersion !== null ? [operation.ifVersion] : null
  const pair = kind === 'create' ? operation.pair : kind === 'move' ? operation.change : null
  const input = pair && { userId: pair.user, teamId: pair.team }
  const query = {
    create: `mutation ($input: AddTeamMembershipInput!) { it: addTeamMembership(input: $input) ${fields} }`,
    move: `mutation ($id: ID!, $input: MoveTeamMembershipInput!, $ifVersions: [Int!]) {
      it: moveTeamMembership(id: $id, input: $input, ifVersions: $ifVersions) ${fields} }`,
    remove: `mutation ($id: ID!, $ifVersions: [Int!]) {
      it: removeTeamMembership(id: $id, ifVersions: $ifVersions) ${fields} }`,
    read: `query ($id: ID!) { it: teamMembership(id: $id) ${fields} }`,
    list: `query ($ids: [ID!]!) { it: teamMemberships(ids: $ids) ${fields} }`,
  }[kind]
  const variables = { id, ids, input, ifVersions }
  return {
    request: {
      method: 'POST',
      target: '/graphql',
      headers: [
        ['Authorization', `Bearer ${token}`],
        ['Content-Type', 'application/json'],
      ],
      body: Buffer.from(JSON.stringify({ query, variables })),
    },
    read: ({ json }) => readGraphql(json, kind),
  }
}

interface GraphqlRow {
  readonly id: string
  readonly userId: string
  readonly teamId: string
  readonly version: number
}

function readGraphql(json: unknown, kind: Addressed['kind']): Outcome | null {
  const body = graphqlBody.safeParse(json).data
  const [error] = body?.errors ?? []
  if (error !== undefined) {
    return readRefusal({ ...error.extensions, existing_id: error.extensions.existingId })
  }
  const it = body?.data?.it as GraphqlRow | GraphqlRow[] | null | undefined
  if (it === undefined) return null
  if (it === null) return { kind: 'missing' }
  if (kind === 'remove') return { kind: 'removed' }
  if (Array.isArray(it))
    return { kind: 'rows', rows: it.map(row => ({ ...fromGraphql(row), version: Number.NaN })) }
  return { kind: 'row', row: fromGraphql(it) }
}

function fromGraphql({ id, userId, teamId, version }: GraphqlRow): Row {
  return { id: Number(id), user: Number(userId), team: Number(teamId), version }
}

interface Refusal {
  readonly code: string
  readonly existing_id?: number | undefined
  readonly version?: number | undefined
}

function readRefusal(refusal: Refusal | undefined): Outcome | null {
  if (refusal?.code === 'NOT_FOUND') return { kind: 'missing' }
  if (refusal?.code === 'CONFLICT') return { kind: 'conflict', existingId: refusal.existing_id ?? 0 }
  if (refusal?.code === 'PRECONDITION_FAILED') return { kind: 'stale', version: refusal.version ?? 0 }
  return null
}
