import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GatewayClient } from '../../server/clients/gateway-client.ts'
import { freshId } from '../../server/clients/memberships.ts'
import { type SharedServer, shareReplicas, shareServer } from '../../server/gateways/share-server.ts'
import {
  sendJson,
  startUpstream,
  type Upstream,
  type UpstreamRequest,
} from '../../server/gateways/start-upstream.ts'

let upstream: Upstream
let server: SharedServer
let elsewhere: SharedServer
let duringRun: (token: string) => Promise<unknown>

// The script sends the run's token to the upstream, which uses it while the run waits for the answer.
beforeAll(async () => {
  upstream = await startUpstream(async (request, response) => {
    const { variables } = JSON.parse(request.body) as { variables: { token: string } }
    sendJson(response, { data: await duringRun(variables.token) })
  })
  server = await shareServer()
  ;[elsewhere] = await shareReplicas()
})
afterAll(() => upstream.close())

async function runWith(use: (token: string) => Promise<unknown>, credential = server.adminToken) {
  let token = ''
  duringRun = given => {
    token = given
    return use(given)
  }
  const answer = await server.execute(
    `const token = options.authorization.replace(/^Bearer /, '')
     exit((await graphql('{ x }', { token }, '${server.urlForScripts(upstream.url)}/')).data)`,
    { token: credential },
  )
  return { token, seen: answer.body.task_execution.payload, answer }
}

const view = (gateway: GatewayClient, token: string) =>
  gateway.graphql('{ viewer { accountCode scopes } }', {}, token)

test('works at this gateway during the run and is dead the moment it ends', async () => {
  const { token, seen, answer } = await runWith(async token => (await view(server, token)).body)
  expect(answer.status).toBe(200)
  expect(seen).toEqual({ data: { viewer: { accountCode: server.account, scopes: ['admin'] } } })
  expect(token).not.toBe('')
  expect(token).not.toBe(server.adminToken)
  expect((await view(server, token)).status).toBe(401)
})

test('is worth nothing at another gateway, even during the run', async () => {
  const { seen } = await runWith(async token => (await view(elsewhere, token)).status)
  expect(seen).toBe(401)
})

test('has the rights of the credential that caused the run, and no wider ones', async () => {
  const account = `${server.account}-beta`
  const credential = await server.token({ account, user: 5, scopes: ['tasks:execute'] })
  const { seen } = await runWith(async token => {
    const read = await server.graphql('{ user(id: "5") { id } }', {}, token)
    const body = { team_membership: { user_id: freshId(), team_id: 1 } }
    const write = await server.rest('POST', '/platform/team_memberships', { token, body })
    return [(await view(server, token)).body, read.status, write.status]
  }, credential)
  expect(seen).toEqual([{ data: { viewer: { accountCode: account, scopes: ['tasks:execute'] } } }, 403, 403])
})

test('dies with a run that fails, that errs and that is stopped', async () => {
  for (const end of ['fail(options.authorization)', 'throw new Error(options.authorization)']) {
    const answer = await server.execute(end)
    const text = answer.body.task_execution.message ?? answer.body.task_execution.error?.message ?? ''
    const token = /Bearer (\S+)/.exec(text)?.[1] ?? ''
    expect(token).not.toBe('')
    expect((await view(server, token)).status).toBe(401)
  }
})

test('is another one in every run', async () => {
  const tokens = await Promise.all(
    Array.from({ length: 4 }, async () => (await server.execute('exit(options.authorization)')).body),
  )
  expect(new Set(tokens.map(body => body.task_execution.payload)).size).toBe(4)
})

test('no credential goes to another host by itself', async () => {
  await runWith(async () => null)
  const request = upstream.requests.at(-1) as UpstreamRequest
  expect(request.headers.authorization).toBeUndefined()
  expect(request.headers.cookie).toBeUndefined()
  expect(JSON.stringify(request)).not.toContain(server.adminToken)
})

test('never lets the credential of the request into the script', async () => {
  const answer = await server.execute<string>({
    sourceCode: 'exit(JSON.stringify([options, payload, Object.getOwnPropertyNames(globalThis)]))',
    options: { authorization: `Bearer ${server.adminToken}` },
  })
  expect(answer.body.task_execution.payload).not.toContain(server.adminToken)
  expect(answer.body.task_execution.payload).toMatch(/Bearer \S{20,}/)
})

test('starts further runs while its own lasts', async () => {
  const { seen } = await runWith(async token => {
    const nested = await server.execute('exit("nested")', { token })
    return nested.body.task_execution.payload
  })
  expect(seen).toBe('nested')
})
