import { setTimeout as sleep } from 'node:timers/promises'
import { passIds } from '../../server/clients/memberships.ts'
import type { MembershipBody } from '../../server/clients/wire-shapes.ts'
import type { Observation } from '../../server/gateways/observer.ts'
import { type ObservedServer, startObservedServer } from '../../server/gateways/start-server.ts'
import { sendJson, startUpstream, type UpstreamRequest } from '../../server/gateways/start-upstream.ts'
import { usualPatience } from '../../server/processes/patience.ts'
import { type Door, type ScriptAnswer, type ScriptInput, sendScript } from './script-doors.ts'

// What scripts log is compared with the system log.
const wholeLog = { ROSTRUM_SCRIPT_LOG_BYTES: String(2 ** 40) }

export type AccountName = 'A' | 'B'

/** What went on in and around the gateway while something ran. */
export interface Happenings {
  readonly before: Observation
  readonly after: Observation
  /** What the gateway wrote to standard output. */
  readonly written: string
  readonly canaryConnections: number
  readonly canaryRequests: readonly UpstreamRequest[]
}

export interface ScriptStage {
  readonly server: ObservedServer
  /** What the corpus calls `{TOKEN_A}`, `{CANARY_PORT}` and so on. */
  readonly placeholders: Readonly<Record<string, string>>
  run(door: Door, account: AccountName, input: ScriptInput): Promise<ScriptAnswer>
  /** A run in an account that has no functions, hooks and cases yet. */
  runInNewAccount(door: Door, input: ScriptInput): Promise<ScriptAnswer>
  /** An ordinary run of account B. */
  runNormally(): Promise<ScriptAnswer>
  watch<T>(during: () => Promise<T>): Promise<{ result: T; happenings: Happenings }>
  stop(): Promise<void>
}

export const accountCodes = { A: 'alpha', B: 'beta' } as const

/** A real server with two accounts, a membership of each, and a canary on loopback that no script may reach. */
export async function startScriptStage(settings: Record<string, string> = {}): Promise<ScriptStage> {
  const canary = await startUpstream((_, response) => sendJson(response, { data: 'the canary' }))
  const server = await startObservedServer({ ...usualPatience, ...wholeLog, ...settings })
  const tokenOf = (account: AccountName) =>
    server.token({
      account: accountCodes[account],
      email: `${account}@${account}.example`,
      user: 1,
      scopes: ['memberships:read', 'memberships:write', 'tasks:execute'],
    })
  let accounts = 0
  const tokens = { A: await tokenOf('A'), B: await tokenOf('B') }
  const userOfB = 770_001
  // Ids are counted in each account: far from what the scripts make in A.
  await passIds(server, 900, tokens.B)
  const memberships = {
    A: await addMembership(server, tokens.A, 660_001),
    B: await addMembership(server, tokens.B, userOfB),
  }

  const watch: ScriptStage['watch'] = async during => {
    const before = await server.observe()
    const from = server.stdout().length
    const first = canary.requests.length
    const connections = canary.connections()
    const result = await during()
    const after = await server.observe()
    // What the gateway has written may still be in its pipe.
    await sleep(10)
    const happenings = {
      before,
      after,
      written: server.stdout().slice(from),
      canaryConnections: canary.connections() - connections,
      canaryRequests: canary.requests.slice(first),
    }
    return { result, happenings }
  }

  return {
    server,
    placeholders: {
      TOKEN_A: tokens.A,
      TOKEN_B: tokens.B,
      ACCOUNT_B: accountCodes.B,
      ID_OF_ACCOUNT_A: String(memberships.A),
      ID_OF_ACCOUNT_B: String(memberships.B),
      ID_OF_ACCOUNT_B_USER: String(userOfB),
      CANARY_PORT: new URL(canary.url).port,
      GATEWAY_PORT: new URL(server.baseUrl).port,
    },
    run: (door, account, input) => sendScript({ server, door, input, token: tokens[account] }),
    async runInNewAccount(door, input) {
      const token = await server.token({ account: `new-${++accounts}`, user: 1 })
      return sendScript({ server, door, input, token })
    },
    runNormally() {
      const input = { name: 'next', sourceCode: 'exit("next")', inputDocument: '{}', options: '{}' }
      return sendScript({ server, door: 'REST', input, token: tokens.B })
    },
    watch,
    async stop() {
      await server.stop()
      await canary.close()
    },
  }
}

async function addMembership(server: ObservedServer, token: string, user_id: number): Promise<number> {
  const body = { team_membership: { user_id, team_id: 1 } }
  const path = '/platform/team_memberships'
  const answer = await server.rest<MembershipBody>('POST', path, { body, token })
  return answer.body.team_membership.id
}
