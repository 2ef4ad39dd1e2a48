import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { addMembership } from '../../server/clients/memberships.ts'
import type { Observation } from '../../server/gateways/observer.ts'
import { type ObservedServer, startObservedServer } from '../../server/gateways/start-server.ts'
import { usualPatience } from '../../server/processes/patience.ts'

export type Row = Readonly<Record<string, unknown>>

/** All that a request could have changed in the store. */
export interface Rows {
  readonly memberships: readonly Row[]
  readonly users: readonly Row[]
  readonly teams: readonly Row[]
}

export interface WireStage {
  readonly server: ObservedServer
  readonly tokens: { readonly A: string; readonly B: string }
  /** What the lines call `{TOKEN_A}`, `{ID_OF_ACCOUNT_B}` and so on. */
  readonly placeholders: Readonly<Record<string, string>>
  readRows(): Rows
  /** What the gateway's observer has seen, after a turn of its event loop. */
  observe(): Promise<Observation>
  /** An ordinary request of account B: how long it took. Fails unless it is answered as it must be. */
  askNormally(): Promise<number>
  stop(): Promise<void>
}

const accountCodes = { A: 'alpha', B: 'beta' } as const

const scopes = [
  'memberships:read',
  'memberships:write',
  'tasks:execute',
  'cases:write',
  'functions:write',
  'runs:read',
] as const

// Of a length that the corpus gives, with an answer of many kilobytes.
const longAnswer = '{"query":"{__schema{types{name fields{name args{name}}}}}" }'

/** A real, observed server with two accounts and a membership of each, and a look into its store. */
export async function startWireStage(settings: Record<string, string> = {}): Promise<WireStage> {
  const server = await startObservedServer({ ...usualPatience, ...settings })
  const [A, B] = await Promise.all(
    (['A', 'B'] as const).map(account =>
      server.token({
        account: accountCodes[account],
        email: `${account}@${account}.example`,
        user: 1,
        scopes,
      }),
    ),
  )
  if (A === undefined || B === undefined) throw new Error('There are two accounts')
  const tokens = { A, B }
  const rowOfA = await addMembership(server, { user_id: 660_001, team_id: 1 }, A)
  // Ids are counted in each account: far from what the lines make in A.
  let rowOfB = await addMembership(server, { team_id: 1 }, B)
  while (rowOfB.id < 100) rowOfB = await addMembership(server, { team_id: 1 }, B)
  // What the second corpus looks for in the answers of A.
  await addMembership(server, { user_id: 987_650_017, team_id: 1 }, B)
  // The first that needs Yoga loads it, once in a gateway's life: no line is to pay for that.
  await server.rest('GET', '/graphql?query={__typename}', { token: A })
  const file = (server.settings.DATABASE_URL ?? '').replace(/^sqlite:/, '')
  const store = new DatabaseSync(file, { readOnly: true })

  return {
    server,
    tokens,
    placeholders: {
      TOKEN_A: A,
      TOKEN_B: B,
      SESSION_A: A,
      ACCOUNT_B: accountCodes.B,
      ID_OF_ACCOUNT_A: String(rowOfA.id),
      ID_OF_ACCOUNT_B: String(rowOfB.id),
      AUTH: `Authorization: Bearer ${A}`,
      BODY: longAnswer,
    },
    readRows: () => ({
      memberships: store.prepare('select * from team_memberships order by id').all(),
      users: store.prepare('select * from users order by account_code, id').all(),
      teams: store.prepare('select * from teams order by account_code, id').all(),
    }),
    async observe() {
      await sleep(5)
      return server.observe()
    },
    async askNormally() {
      const started = performance.now()
      const { status, text } = await server.rest('GET', `/platform/team_memberships/${rowOfB.id}`, {
        token: B,
      })
      if (status !== 200) throw new Error(`A normal request was answered ${status}: ${text}`)
      return performance.now() - started
    },
    async stop() {
      store.close()
      await server.stop()
    },
  }
}
