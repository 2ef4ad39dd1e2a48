import { ApolloServer } from '@apollo/server'
import { fastifyApolloDrainPlugin, fastifyApolloHandler } from '@as-integrations/fastify'
import Fastify from 'fastify'
import { GraphQLError } from 'graphql'
import { announce } from './announce.ts'
import { createAuthenticate, mayRead } from './authenticate.ts'
import { createContext, type RequestContext, resolvers, typeDefs } from './graphql-schema.ts'
import { listen } from './listen.ts'
import { openDatabase } from './open-database.ts'
import { prepareReads } from './prepare-reads.ts'

const client = openDatabase()
const reads = prepareReads(client)
const authenticate = createAuthenticate(client)

const app = Fastify({ logger: false })
// Production settings: no introspection, no stack traces; Apollo caches parsed documents by itself.
const apollo = new ApolloServer<RequestContext>({
  typeDefs,
  resolvers,
  introspection: false,
  includeStacktraceInErrorResponses: false,
  csrfPrevention: false,
  plugins: [fastifyApolloDrainPlugin(app)],
})
await apollo.start()
app.post(
  '/graphql',
  fastifyApolloHandler(apollo, {
    context: async request => {
      const caller = authenticate(request.headers.authorization)
      if (caller === null) throw refusal('Send a good token.', 401)
      if (!mayRead(caller)) throw refusal('The token lacks a scope.', 403)
      return createContext(reads, caller)
    },
  }),
)
announce(await listen(app))

function refusal(message: string, status: number): GraphQLError {
  return new GraphQLError(message, { extensions: { http: { status } } })
}
