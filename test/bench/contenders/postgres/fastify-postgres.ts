import Fastify from 'fastify'
import postgres from 'postgres'
import { announce } from '../announce.ts'
import { type Caller, mayRead, mayWrite } from '../authenticate.ts'
import { listen } from '../listen.ts'
import { toId } from '../membership/graphql-schema.ts'
import { graphqlAnswer, restAnswer, toRest } from '../membership/membership-answers.ts'
import { inOrder } from '../membership/prepare-reads.ts'
import { createPostgresAuthenticate } from './authenticate-postgres.ts'
import { createPostgresReads } from './postgres-reads.ts'
import { createPostgresWrites } from './postgres-writes.ts'

// The same handlers over PostgreSQL: a pool of ten connections, the driver prepares and pipelines, one transaction a
// write.

const sql = postgres(process.env.BENCH_DATABASE ?? '', { max: 10, fetch_types: false })
const reads = createPostgresReads(sql)
const writes = createPostgresWrites(sql)
const authenticate = createPostgresAuthenticate(sql)

const app = Fastify({ logger: false })

async function callerOf(header: string | undefined, may: (caller: Caller) => boolean): Promise<Caller> {
  const caller = await authenticate(header)
  if (caller === null) throw Object.assign(new Error('Send a good token.'), { statusCode: 401 })
  if (!may(caller)) throw Object.assign(new Error('The token lacks a scope.'), { statusCode: 403 })
  return caller
}

app.get<{ Params: { id: string } }>(
  '/platform/team_memberships/:id',
  { schema: { response: { 200: restAnswer } } },
  async (request, reply) => {
    const { accountCode } = await callerOf(request.headers.authorization, mayRead)
    const row = await reads.membership(accountCode, toId(request.params.id))
    if (row === undefined) return reply.code(404).send()
    return reply.header('etag', `"${row.version}"`).send(toRest(row))
  },
)

app.post<{ Body: { query: string; variables: { id: string } | { ids: string[] } } }>(
  '/graphql',
  { schema: { response: { 200: graphqlAnswer } } },
  async (request, reply) => {
    const { accountCode } = await callerOf(request.headers.authorization, mayRead)
    const { variables } = request.body
    if ('id' in variables) {
      const teamMembership = (await reads.membership(accountCode, toId(variables.id))) ?? null
      return reply.send({ data: { teamMembership } })
    }
    const ids = [...new Set(variables.ids.map(toId))]
    const rows = inOrder(ids, await reads.memberships(accountCode, ids))
    return reply.send({ data: { teamMemberships: rows.filter(row => row !== null) } })
  },
)

app.post<{ Body: { team_membership: { user_id: number; team_id: number } } }>(
  '/platform/team_memberships',
  { schema: { response: { 201: restAnswer } } },
  async (request, reply) => {
    const caller = await callerOf(request.headers.authorization, mayWrite)
    const { user_id: userId, team_id: teamId } = request.body.team_membership
    const row = await writes.add(caller, { userId, teamId })
    if (row === undefined) return reply.code(409).send()
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
  async (request, reply) => {
    const caller = await callerOf(request.headers.authorization, mayWrite)
    const { team_id: teamId } = request.body.team_membership
    const row = await writes.move(caller, { id: toId(request.params.id), teamId })
    if (row === undefined) return reply.code(404).send()
    return reply.header('etag', `"${row.version}"`).send(toRest(row))
  },
)

announce(await listen(app))
