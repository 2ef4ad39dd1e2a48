import { createServer } from 'node:http'
import { GraphQLError } from 'graphql'
import { createSchema, createYoga } from 'graphql-yoga'
import { announce } from './announce.ts'
import { createAuthenticate, mayRead } from './authenticate.ts'
import { listen } from './listen.ts'
import { createContext, type RequestContext, resolvers, typeDefs } from './membership/graphql-schema.ts'
import { openDatabase } from './membership/open-database.ts'
import { prepareReads } from './membership/prepare-reads.ts'

const client = openDatabase()
const reads = prepareReads(client)
const authenticate = createAuthenticate(client)

// Yoga as it comes, which caches parsed and validated documents; only its log and its page are off.
const yoga = createYoga<object, RequestContext>({
  schema: createSchema<RequestContext>({ typeDefs, resolvers }),
  logging: false,
  graphiql: false,
  landingPage: false,
  context: ({ request }) => {
    const caller = authenticate(request.headers.get('authorization') ?? undefined)
    if (caller === null) throw refusal('Send a good token.', 401)
    if (!mayRead(caller)) throw refusal('The token lacks a scope.', 403)
    return createContext(reads, caller)
  },
})
announce(await listen(createServer((request, response) => void yoga(request, response))))

function refusal(message: string, status: number): GraphQLError {
  return new GraphQLError(message, { extensions: { http: { status } } })
}
