import { operation } from '../gateway/operation.ts'

/** A membership as the page shows it. */
export interface Membership {
  readonly id: string
  readonly version: number
  readonly userId: string
  readonly teamId: string
  readonly user: { readonly displayName: string | null; readonly email: string | null } | null
  readonly team: { readonly name: string | null } | null
}

/** A page of memberships, and where the next one begins. */
export interface MembershipPage {
  readonly nodes: readonly Membership[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** A user and a team. */
export interface Pair {
  readonly userId: string
  readonly teamId: string
}

/** A change of a membership. */
export interface MembershipEvent {
  readonly at: string
  readonly byEmail: string | null
  readonly byUserId: string | null
  readonly txnID: string
  readonly before: Pair | null
  readonly after: Pair | null
}

interface Page {
  readonly id: string
  readonly first: number
  readonly after: string | null
}

const membershipFields = `id version userId teamId user { displayName email } team { name }`
const pageFields = `memberships(first: $first, after: $after) {
  nodes { ${membershipFields} } pageInfo { hasNextPage endCursor } }`

export const membersOfTeam = operation<
  { team: { readonly name: string | null; readonly memberships: MembershipPage | null } | null },
  Page
>(`query MembersOfTeam($id: ID!, $first: Int, $after: String) { team(id: $id) { name ${pageFields} } }`)

export const teamsOfUser = operation<
  {
    user: {
      readonly displayName: string | null
      readonly email: string | null
      readonly memberships: MembershipPage | null
    } | null
  },
  Page
>(
  `query TeamsOfUser($id: ID!, $first: Int, $after: String) { user(id: $id) { displayName email ${pageFields} } }`,
)

/** A page of changes, the oldest first. */
export interface EventPage {
  readonly nodes: readonly MembershipEvent[]
  readonly pageInfo: {
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
}

/** The first changes after a cursor, or the last ones before a cursor. */
export interface EventRange {
  readonly first?: number
  readonly after?: string | null
  readonly last?: number
  readonly before?: string | null
}

export const readEvents = operation<{ teamMembershipEvents: EventPage | null }, EventRange>(
  `query ReadMembershipEvents($first: Int, $after: String, $last: Int, $before: String) {
    teamMembershipEvents(first: $first, after: $after, last: $last, before: $before) {
      nodes { at byEmail byUserId txnID before { userId teamId } after { userId teamId } }
      pageInfo { hasPreviousPage startCursor endCursor }
    } }`,
)

export const addMember = operation<{ addTeamMembership: Membership }, { input: Pair }>(
  `mutation AddMember($input: AddTeamMembershipInput!) { addTeamMembership(input: $input) { ${membershipFields} } }`,
)

export const moveMember = operation<
  { moveTeamMembership: Membership },
  { id: string; input: Pair; ifVersions: readonly number[] }
>(
  `mutation MoveMember($id: ID!, $input: MoveTeamMembershipInput!, $ifVersions: [Int!]) {
    moveTeamMembership(id: $id, input: $input, ifVersions: $ifVersions) { ${membershipFields} } }`,
)

export const removeMember = operation<
  { removeTeamMembership: Membership },
  { id: string; ifVersions: readonly number[] }
>(
  `mutation RemoveMember($id: ID!, $ifVersions: [Int!]) {
    removeTeamMembership(id: $id, ifVersions: $ifVersions) { ${membershipFields} } }`,
)
