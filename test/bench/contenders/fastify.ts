import Fastify from 'fastify'
import { announce } from './announce.ts'
import { type Caller, createAuthenticate, mayRead, maySaveCases, mayWrite } from './authenticate.ts'
import { listen } from './listen.ts'
import { toId } from './membership/graphql-schema.ts'
import { caseAnswer, graphqlAnswer, restAnswer, toRest } from './membership/membership-answers.ts'
import { openDatabase } from './membership/open-database.ts'
import { prepareCaseSaves } from './membership/prepare-case-saves.ts'
import { prepareReads } from './membership/prepare-reads.ts'
import { prepareWrites } from './membership/prepare-writes.ts'

// Hand-written handlers as a careful author writes them: schemas for what is answered (Fastify compiles them), prepared
// statements, one transaction a write.

const client = openDatabase()
const reads = prepareReads(client)
const writes = prepareWrites(client)
const saveCase = prepareCaseSaves(client)
const authenticate = createAuthenticate(client)

const app = Fastify({ logger: false })

function callerOf(header: string | undefined, may: (caller: Caller) => boolean): Caller {
  const caller = authenticate(header)
  if (caller === null) throw Object.assign(new Error('Send a good token.'), { statusCode: 401 })
  if (!may(caller)) throw Object.assign(new Error('The token lacks a scope.'), { statusCode: 403 })
  return caller
}

app.get<{ Params: { id: string } }>(
  '/platform/team_memberships/:id',
  { schema: { response: { 200: restAnswer } } },
  (request, reply) => {
    const { accountCode } = callerOf(request.headers.authorization, mayRead)
    const row = reads.membership(accountCode, toId(request.params.id))
    if (row === undefined) return reply.code(404).send()
    return reply.header('etag', `"${row.version}"`).send(toRest(row))
  },
)

app.post<{ Body: { query: string; variables: { id: string } } }>(
  '/graphql',
  { schema: { response: { 200: graphqlAnswer } } },
  (request, reply) => {
    const { accountCode } = callerOf(request.headers.authorization, mayRead)
    const teamMembership = reads.membership(accountCode, toId(request.body.variables.id)) ?? null
    return reply.send({ data: { teamMembership } })
  },
)

app.post<{ Body: { team_membership: { user_id: number; team_id: number } } }>(
  '/platform/team_memberships',
  { schema: { response: { 201: restAnswer } } },
  (request, reply) => {
    const caller = callerOf(request.headers.authorization, mayWrite)
    const { user_id: userId, team_id: teamId } = request.body.team_membership
    const row = writes.add(caller, { userId, teamId })
    if (row === null) return reply.code(409).send()
    return reply
      .code(201)
      .header('location', `/platform/team_memberships/${row.id}`)
      .header('etag', `"${row.version}"`)
      .send(toRest(row))
  },
)

app.put<{ Params: { id: string }; Body: { team_membership: { team_id: number } } }>(
  '/platform/team_memberships/:id',
  { schema: { response: { 200: restAnswer } } },
  (request, reply) => {
    const caller = callerOf(request.headers.authorization, mayWrite)
    const { team_id: teamId } = request.body.team_membership
    const row = writes.move(caller, { id: toId(request.params.id), teamId })
    if (row === null) return reply.code(404).send()
    return reply.header('etag', `"${row.version}"`).send(toRest(row))
  },
)

app.put<{ Params: { id: string }; Body: { case: { data: object } } }>(
  '/platform/cases/:id',
  { schema: { response: { 200: caseAnswer } } },
  (request, reply) => {
    const caller = callerOf(request.headers.authorization, maySaveCases)
    const row = saveCase(caller, toId(request.params.id), request.body.case.data)
    if (row === null) return reply.code(404).send()
    return reply.header('etag', `"${row.version}"`).send({ case: row })
  },
)

announce(await listen(app))
