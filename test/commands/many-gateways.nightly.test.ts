import { afterEach, beforeEach, expect, test } from 'vitest'
import { readMigrations } from '../../src/store/migrations.ts'
import { startServer, type TestServer } from '../server/gateways/start-server.ts'
import { askPostgres } from '../store/databases/ask-postgres.ts'
import { createDatabase } from '../store/databases/create-database.ts'

interface Made {
  readonly team_membership: { readonly id: number }
}

const gateways = ['first', 'second', 'third', 'fourth', 'fifth']

let databaseUrl: string
let started: TestServer[] = []
beforeEach(async () => {
  databaseUrl = await createDatabase()
})
afterEach(async () => {
  await Promise.all(started.splice(0).map(server => server.stop()))
})

/** Starts five real gateways at the same time on an empty database. Resolves when all are ready. */
async function startAll(settings: Readonly<Record<string, string>>): Promise<TestServer[]> {
  const few = { ROSTRUM_SANDBOXES: '1', DATABASE_URL: databaseUrl, ...settings }
  const starts = await Promise.allSettled(gateways.map(() => startServer(few)))
  started = starts.flatMap(start => (start.status === 'fulfilled' ? start.value : []))
  expect(starts.flatMap(start => (start.status === 'rejected' ? String(start.reason) : []))).toEqual([])
  return started
}

const ask = (query: string) => askPostgres(databaseUrl, query)

test('five gateways that start at once on an empty database migrate it once and print one token', async () => {
  const servers = await startAll({ ROSTRUM_ADMIN_TOKEN: '' })
  const hashes = readMigrations('postgres').map(({ hash }) => ({ hash }))
  expect(await ask('select hash from rostrum_migrations')).toEqual(hashes)
  const printed = servers.flatMap(server => server.startText().match(/^ {2}rst_\S+$/gm) ?? [])
  expect(printed).toHaveLength(1)
  expect(await ask('select id from api_tokens')).toHaveLength(1)
  const token = printed[0]?.trim() ?? null
  for (const server of servers) {
    const answer = await server.graphql<{ viewer: object }>('{ viewer { accountCode scopes } }', {}, token)
    expect(answer.body.data).toEqual({ viewer: { accountCode: 'demo', scopes: ['admin'] } })
  }
})

test('five gateways accept one admin token and give memberships unique ids in each account', async () => {
  const servers = await startAll({})
  expect(await ask('select id from api_tokens where revoked_at is null')).toHaveLength(1)
  const accounts = ['a', 'b', 'c']
  const tokens = await Promise.all(accounts.map(account => servers[0]?.token({ account }) ?? null))
  const made = servers.flatMap((server, gateway) =>
    tokens.flatMap((token, account) =>
      [...Array(10).keys()].map(async number => {
        const body = { team_membership: { user_id: 1 + gateway, team_id: 1 + number } }
        const answer = await server.rest<Made>('POST', '/platform/team_memberships', { body, token })
        return `${account}/${answer.body.team_membership.id}`
      }),
    ),
  )
  const ids = await Promise.all(made)
  expect(new Set(ids).size).toBe(150)
  const sequences = await ask(
    'select count(*)::int, min(sequence)::int, max(sequence)::int from membership_events group by account_code',
  )
  expect(sequences).toEqual(accounts.map(() => ({ count: 50, min: 1, max: 50 })))
})
