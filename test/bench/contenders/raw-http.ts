import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { announce } from './announce.ts'
import { createAuthenticate, mayRead } from './authenticate.ts'
import { listen } from './listen.ts'
import { toId } from './membership/graphql-schema.ts'
import { openDatabase } from './membership/open-database.ts'
import { prepareReads } from './membership/prepare-reads.ts'

// The least that a server in Node can do for one membership: no framework, no GraphQL.

const client = openDatabase()
const reads = prepareReads(client)
const authenticate = createAuthenticate(client)
const restPath = '/platform/team_memberships/'

const server = createServer((request, response) => {
  const caller = authenticate(request.headers.authorization)
  if (caller === null || !mayRead(caller)) return answer(response, caller === null ? 401 : 403, '{}')
  if (request.method === 'GET' && request.url?.startsWith(restPath)) {
    const row = reads.membership(caller.accountCode, toId(request.url.slice(restPath.length)))
    if (row === undefined) return answer(response, 404, '{}')
    const { id, userId, teamId, leader, version } = row
    response.setHeader('etag', `"${version}"`)
    const membership = { id, user_id: userId, team_id: teamId, leader }
    return answer(response, 200, JSON.stringify({ team_membership: membership }))
  }
  void readJson(request).then(body => {
    const row = reads.membership(caller.accountCode, toId(body.variables.id))
    answer(response, 200, JSON.stringify({ data: { teamMembership: row ? toGraphql(row) : null } }))
  })
})
announce(await listen(server))

type Row = NonNullable<ReturnType<typeof reads.membership>>

function toGraphql({ id, userId, teamId, leader }: Row) {
  return { id: String(id), userId: String(userId), teamId: String(teamId), leader }
}

function readJson(request: IncomingMessage): Promise<{ variables: { id: string } }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('error', reject)
    request.once('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())))
  })
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}
