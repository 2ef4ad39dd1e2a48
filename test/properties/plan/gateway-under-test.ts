import { scopes } from '../../../src/credentials/caller.ts'
import { secret, signHmac } from '../../credentials/sign-jwt.ts'
import { startObservedServer } from '../../server/gateways/start-server.ts'
import { describeExchange, judge } from '../judge/judge-exchange.ts'
import { type Tokens, toRequest, type WireCase } from '../wire/wire-case.ts'
import { createWireClient, type WireClient } from '../wire/wire-client.ts'

export interface GatewayUnderTest {
  readonly url: string
  readonly tokens: Tokens
  /** Texts that account B alone has: its code, its email, the names in its rows. */
  readonly secrets: readonly string[]
  /** The connection of a lane. */
  client(lane: number): WireClient
  /** Sends a case over its lane's connection; throws where the answer is not as the contract says. */
  exchange(sample: WireCase, lane: number): Promise<void>
  /** A token of an account, which is made if need be. */
  tokenOf(account: string, scopes?: readonly string[]): Promise<string>
  /** What the requests so far have done to the process or its log; empty where nothing. */
  findDamage(): Promise<string[]>
  stop(): Promise<void>
}

const inAnHour = Math.floor(Date.now() / 1_000) + 3_600
// A token without scopes in it lacks `functions:write`.
const good = scopes.filter(scope => scope !== 'admin' && scope !== 'runs:read')
const accountB = 'zebra-account-of-b'
const secrets = [accountB, 'zebra-email@b.example', 'zebra-name-of-b'] as const

/** A real gateway with an observer inside, a caller of account A, and an account B with rows of its own. */
export async function startGatewayUnderTest(): Promise<GatewayUnderTest> {
  const server = await startObservedServer({
    ROSTRUM_JWT_SECRET: secret,
    LOG_LEVEL: 'warn',
    ROSTRUM_SCRIPT_LOG_BYTES: String(2 ** 40),
  })
  const clients = new Map<number, WireClient>()
  const tokenOf = (account: string, scopes?: readonly string[]) =>
    signHmac(
      { sub: '7', account, ...(scopes === undefined ? {} : { scope: scopes.join(' ') }) },
      { exp: inAnHour },
    )

  const client = (lane: number) => {
    const known = clients.get(lane) ?? createWireClient(server.baseUrl)
    clients.set(lane, known)
    return known
  }

  const tokenB = await tokenOf(accountB)
  for (const id of [1, 2, 3, 4, 5]) {
    const body = { team_membership: { user_id: id, team_id: id } }
    await server.rest('POST', '/platform/team_memberships', { body, token: tokenB })
    const user = { email: secrets[1], display_name: secrets[2] }
    await server.rest('PUT', `/platform/users/${id}`, { body: { user }, token: tokenB })
    await server.rest('PUT', `/platform/teams/${id}`, { body: { team: { name: secrets[2] } }, token: tokenB })
  }

  const tokens = { good: await tokenOf('account-a', good), idle: await tokenOf('account-a', []) }
  return {
    url: server.baseUrl,
    tokens,
    secrets,
    client,
    async exchange(sample, lane) {
      const request = toRequest(sample, tokens)
      const answer = await client(lane).send(request)
      const faults =
        answer === null ? ['closed without an answer'] : judge({ sample, request, answer, secrets })
      if (faults.length === 0) return
      const before = client(lane).before()
      throw new Error(describeExchange({ faults, request, answer, before }))
    },
    tokenOf,
    async findDamage() {
      const { newPrototypeKeys } = await server.observe()
      const health = await server.rest('GET', '/ready', { token: null })
      const said = server.stdout().split('\n').filter(isComplaint)
      return [
        ...newPrototypeKeys.map(key => `${key} is new on a prototype`),
        ...(health.status === 200 ? [] : [`/ready answers ${health.status}`]),
        ...(server.stderr() === '' ? [] : [`standard error: ${server.stderr().slice(0, 2_000)}`]),
        ...said.slice(0, 5).map(line => `log: ${line.slice(0, 2_000)}`),
      ]
    },
    async stop() {
      for (const open of clients.values()) open.close()
      await server.stop()
    },
  }
}

// A script may say what it likes in its own lines; nothing else here may warn of anything.
function isComplaint(line: string): boolean {
  return line.startsWith('{') && !/"msg":"(?:log of a script|task ended)"/.test(line)
}
