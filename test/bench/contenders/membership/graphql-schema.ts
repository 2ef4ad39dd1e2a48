import DataLoader from 'dataloader'
import type { Caller } from '../authenticate.ts'
import { inOrder, type MembershipRow, type Reads, type TeamRow, type UserRow } from './prepare-reads.ts'

/** The part of the gateway's schema that the bench asks for. */
export const typeDefs = /* GraphQL */ `
  type Query {
    teamMembership(id: ID!): TeamMembership
    teamMemberships(ids: [ID!]!): [TeamMembership!]!
  }
  type TeamMembership {
    id: ID!
    userId: ID!
    teamId: ID!
    leader: Boolean
    user: User!
    team: Team!
  }
  type User {
    id: ID!
    email: String
    displayName: String
  }
  type Team {
    id: ID!
    name: String
  }
`

export interface Loaders {
  readonly membership: DataLoader<number, MembershipRow | null>
  readonly user: DataLoader<number, UserRow | null>
  readonly team: DataLoader<number, TeamRow | null>
}

/** What the resolvers of one request share. */
export interface RequestContext {
  readonly caller: Caller
  readonly reads: Reads
  readonly loaders: Loaders
}

export function createContext(reads: Reads, caller: Caller): RequestContext {
  const { accountCode } = caller
  return {
    caller,
    reads,
    loaders: {
      membership: new DataLoader(async ids => inOrder(ids, reads.memberships(accountCode, ids))),
      user: new DataLoader(async ids => inOrder(ids, reads.users(accountCode, ids))),
      team: new DataLoader(async ids => inOrder(ids, reads.teams(accountCode, ids))),
    },
  }
}

/** Resolvers over the loaders; ids are read strictly, as the gateway does. */
export const resolvers = {
  Query: {
    teamMembership: (_: unknown, { id }: { id: string }, { loaders }: RequestContext) =>
      loaders.membership.load(toId(id)),
    // One statement is all it takes, so it goes past the loader.
    teamMemberships: (_: unknown, { ids }: { ids: string[] }, { caller, reads }: RequestContext) => {
      const asked = [...new Set(ids.map(toId))]
      return inOrder(asked, reads.memberships(caller.accountCode, asked)).filter(row => row !== null)
    },
  },
  TeamMembership: {
    user: ({ userId }: MembershipRow, _: unknown, { loaders }: RequestContext) => loaders.user.load(userId),
    team: ({ teamId }: MembershipRow, _: unknown, { loaders }: RequestContext) => loaders.team.load(teamId),
  },
}

export function toId(text: string): number {
  const id = Number(text)
  if (!Number.isSafeInteger(id) || id < 1) throw new Error(`\`${text}\` is not an id.`)
  return id
}
