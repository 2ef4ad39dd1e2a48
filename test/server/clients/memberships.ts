import type { GatewayClient } from './gateway-client.ts'
import type { MembershipBody, MembershipListBody, MembershipRow } from './wire-shapes.ts'

let lastId = 1000

/** An id of a user or team that no other test of this file uses. */
export function freshId(): number {
  lastId += 1
  return lastId
}

/** Adds a membership over REST, of a new user and a new team unless they are given. */
export async function addMembership(
  server: GatewayClient,
  pair: { user_id?: number; team_id?: number } = {},
  token = server.adminToken,
): Promise<MembershipRow> {
  const membership = { user_id: freshId(), team_id: freshId(), ...pair }
  const path = '/platform/team_memberships'
  const answer = await server.rest<MembershipBody>('POST', path, {
    body: { team_membership: membership },
    token,
  })
  if (answer.status !== 201) throw new Error(`No membership was made: ${answer.status} ${answer.text}`)
  return answer.body.team_membership
}

/** Makes `count` memberships, so that those made later have ids that accounts with fewer do not have. */
export async function passIds(server: GatewayClient, count: number, token: string): Promise<void> {
  const items = Array.from({ length: count }, () => ({ userId: freshId(), teamId: freshId() }))
  const { body } = await server.graphql<{ addTeamMemberships: { applied: boolean } }>(
    'mutation($items: [AddTeamMembershipInput!]!) { addTeamMemberships(items: $items) { applied } }',
    { items },
    token,
  )
  if (body.data?.addTeamMemberships.applied !== true)
    throw new Error(`No memberships were made: ${JSON.stringify(body)}`)
}

/** Those of the memberships that exist, over REST. */
export async function listMemberships(
  server: GatewayClient,
  ids: readonly number[],
  token = server.adminToken,
): Promise<readonly MembershipRow[]> {
  const query = ids.map(id => `ids[]=${id}`).join('&')
  const answer = await server.rest<MembershipListBody>('GET', `/platform/team_memberships?${query}`, {
    token,
  })
  return answer.body.team_memberships
}
