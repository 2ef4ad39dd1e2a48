import { z } from 'zod'
import { RostrumError } from '../../errors.ts'
import { jsonId, mustBe, readBody } from '../body/read-body.ts'
import { parseParameters } from './parse-parameters.ts'
import { readIfMatch, toEtag } from './read-if-match.ts'
import { type RestAnswer, row } from './rest-row.ts'

const path = '/platform/team_memberships'
const selection = 'id userId teamId leader version'

interface Membership {
  readonly id: string
  readonly userId: string
  readonly teamId: string
  readonly leader: boolean | null
  readonly version: number
}

const wrapped = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(
    { team_membership: z.object(shape, { error: mustBe('an object') }) },
    { error: mustBe('a JSON object') },
  )

const newPair = wrapped({ user_id: jsonId, team_id: jsonId })

const changedPair = wrapped({ user_id: jsonId.optional(), team_id: jsonId.optional() })

/** The five operations of contract, section 2. */
export const teamMembershipRows = [
  row<{ teamMemberships: Membership[] }>(`GET ${path}`, {
    document: `query ($ids: [ID!]!) { teamMemberships(ids: $ids) { ${selection} } }`,
    readVariables: ({ queryString }) => ({ ids: readIds(queryString) }),
    answer: ({ teamMemberships }) => ({
      status: 200,
      body: { team_memberships: teamMemberships.map(toRest) },
    }),
  }),
  row<{ teamMembership: Membership | null }>(`GET ${path}/:id`, {
    document: `query ($id: ID!) { teamMembership(id: $id) { ${selection} } }`,
    readVariables: ({ id }) => ({ id }),
    answer: ({ teamMembership }, { id }) => {
      if (teamMembership === null)
        throw new RostrumError('NOT_FOUND', `There is no team membership \`${id}\`.`)
      return single(200, teamMembership)
    },
  }),
  row<{ addTeamMembership: Membership }>(`POST ${path}`, {
    document: `mutation ($input: AddTeamMembershipInput!) { addTeamMembership(input: $input) { ${selection} } }`,
    readVariables: ({ body }) => {
      const { user_id: userId, team_id: teamId } = readBody(newPair, body).team_membership
      return { input: { userId, teamId } }
    },
    answer: ({ addTeamMembership: added }) => single(201, added, { location: `${path}/${added.id}` }),
  }),
  row<{ moveTeamMembership: Membership }>(`PUT ${path}/:id`, {
    document: `mutation ($id: ID!, $input: MoveTeamMembershipInput!, $ifVersions: [Int!]) {
      moveTeamMembership(id: $id, input: $input, ifVersions: $ifVersions) { ${selection} }
    }`,
    readVariables: ({ id, body, ifMatch }) => ({
      id,
      input: readChange(body),
      ifVersions: readIfMatch(ifMatch),
    }),
    answer: ({ moveTeamMembership }) => single(200, moveTeamMembership),
  }),
  row<{ removeTeamMembership: Membership }>(`DELETE ${path}/:id`, {
    document: `mutation ($id: ID!, $ifVersions: [Int!]) {
      removeTeamMembership(id: $id, ifVersions: $ifVersions) { id }
    }`,
    readVariables: ({ id, ifMatch }) => ({ id, ifVersions: readIfMatch(ifMatch) }),
    answer: () => ({ status: 204 }),
  }),
]

function readChange(body: unknown): { userId?: string; teamId?: string } {
  const { user_id: userId, team_id: teamId } = readBody(changedPair, body).team_membership
  if (userId === undefined && teamId === undefined) {
    throw new RostrumError('BAD_USER_INPUT', 'Give `user_id`, `team_id` or both.', {
      fields: [{ pointer: '/team_membership', detail: 'must have `user_id`, `team_id` or both' }],
    })
  }
  return { ...(userId === undefined ? {} : { userId }), ...(teamId === undefined ? {} : { teamId }) }
}

function single(status: number, membership: Membership, headers: Record<string, string> = {}): RestAnswer {
  return {
    status,
    headers: { ...headers, etag: toEtag(membership.version) },
    body: { team_membership: toRest(membership) },
  }
}

function toRest({ id, userId, teamId, leader }: Membership) {
  return { id: Number(id), user_id: Number(userId), team_id: Number(teamId), leader }
}

const idName = 'ids[]'
const mostFields = 10_000

/**
 * The values of `ids[]` in a raw query string, in order, brackets plain or as `%5B%5D` (contract, section 2). Read by hand:
 * no parser that builds objects from brackets ever sees what a caller sends. None at all is `BAD_USER_INPUT`.
 */
function readIds(queryString: string): string[] {
  const ids = parseParameters({ text: queryString, most: mostFields, what: 'A query string' }).getAll(idName)
  if (ids.length > 0) return ids
  throw new RostrumError('BAD_USER_INPUT', 'Name the memberships to list, as in `?ids[]=1&ids[]=2`.')
}
