import Fastify from 'fastify'
import mercurius from 'mercurius'
import { announce } from './announce.ts'
import { type Caller, createAuthenticate, mayRead } from './authenticate.ts'
import { listen } from './listen.ts'
import {
  createContext,
  type Loaders,
  type RequestContext,
  resolvers,
  typeDefs,
} from './membership/graphql-schema.ts'
import { openDatabase } from './membership/open-database.ts'
import { inOrder, type MembershipRow, prepareReads, type Reads } from './membership/prepare-reads.ts'

// Mercurius as its documentation tunes it: documents compiled at their first use, and its own loaders for fields of
// lists. Their cache costs more than it saves here (it serializes each object), so it is off.

declare module 'mercurius' {
  interface MercuriusContext {
    readonly caller: Caller
    readonly reads: Reads
    readonly loaders: Loaders
  }
}

const client = openDatabase()
const reads = prepareReads(client)
const authenticate = createAuthenticate(client)

interface Query {
  readonly obj: MembershipRow
}

const app = Fastify({ logger: false })
await app.register(mercurius, {
  schema: typeDefs,
  resolvers: { Query: resolvers.Query },
  loaders: {
    TeamMembership: {
      user: {
        loader: async (queries: readonly Query[], { caller }: RequestContext) => {
          const ids = queries.map(({ obj }) => obj.userId)
          return inOrder(ids, reads.users(caller.accountCode, [...new Set(ids)]))
        },
        opts: { cache: false },
      },
      team: {
        loader: async (queries: readonly Query[], { caller }: RequestContext) => {
          const ids = queries.map(({ obj }) => obj.teamId)
          return inOrder(ids, reads.teams(caller.accountCode, [...new Set(ids)]))
        },
        opts: { cache: false },
      },
    },
  },
  jit: 1,
  context: request => {
    const caller = authenticate(request.headers.authorization)
    if (caller === null) throw new mercurius.ErrorWithProps('Send a good token.', {}, 401)
    if (!mayRead(caller)) throw new mercurius.ErrorWithProps('The token lacks a scope.', {}, 403)
    return createContext(reads, caller)
  },
})
announce(await listen(app))
