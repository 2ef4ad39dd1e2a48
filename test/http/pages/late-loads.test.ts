import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claims, secret, signHmac } from '../../credentials/sign-jwt.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0

let server: TestServer
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

beforeAll(async () => {
  server = await startServer({ ROSTRUM_JWT_SECRET: secret })
})
afterAll(async () => {
  agent.destroy()
  await server.stop()
})

// All on one connection, since no other can be taken on.
async function ask(path: string, token: string, accept = '*/*'): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${token}`, accept }
  const asked = request(server.baseUrl + path, { agent, headers }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  await once(answer.resume(), 'end')
  return answer.statusCode
}

function allowFiles(most: number): void {
  execFileSync('prlimit', ['--pid', String(server.pid), `--nofile=${most}:`])
}

test.skipIf(!hasPrlimit)(
  'a module that failed to load without file handles is loaded by the next request (where there is `prlimit`)',
  async () => {
    const jwt = await signHmac(claims)
    const askAll = async () => [
      await ask('/graphql?query={__typename}', server.adminToken),
      await ask('/platform/team_memberships?ids[]=1', jwt),
      await ask('/graphql', server.adminToken, 'text/html'),
    ]
    expect(await ask('/health', server.adminToken)).toBe(200)
    // Fewer than it has already.
    allowFiles(10)
    expect(await askAll()).toEqual([500, 500, 500])
    allowFiles(1_024)
    expect(await askAll()).toEqual([200, 200, 200])
  },
)
