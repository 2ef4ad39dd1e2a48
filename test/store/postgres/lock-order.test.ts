import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { openClient } from '../ask-postgres.ts'
import { add, move } from '../bulk-changes.ts'
import { by } from '../origin.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'

let server: PostgresServer
let store: Store
let client: Client

beforeAll(async () => {
  server = await startPostgres()
  const url = await server.createDatabase()
  store = await openStore({ url })
  client = await openClient(url)
  await client.query(`
    create table touched (place serial, name text);
    create function touch() returns trigger language plpgsql as $$
      begin insert into touched (name) values (tg_table_name); return coalesce(new, old); end $$`)
  for (const table of ['team_memberships', 'idempotency_steps', 'counters', 'teams', 'users'])
    await client.query(
      `create trigger touch before insert or update or delete on ${table} for each row execute function touch()`,
    )
})

afterAll(async () => {
  await client.end()
  await store.close()
  await server.stop()
})

// The tables whose rows the work locked, each where it first did.
async function orderOf(work: Promise<unknown>): Promise<string[]> {
  await work
  const { rows } = await client.query<{ name: string }>('select name from touched order by place')
  await client.query('truncate touched')
  return [...new Set(rows.map(({ name }) => name))]
}

test('single changes and bulks lock rows and pairs, then the counter, then new teams and users', async () => {
  const order = ['team_memberships', 'counters', 'teams', 'users']
  const { memberships } = store
  expect(await orderOf(memberships.add(by('a'), { userId: 1, teamId: 1 }))).toEqual(order)
  const keyed = { ...by('a'), step: { key: 'k', number: 1 } }
  expect(await orderOf(memberships.add(keyed, { userId: 8, teamId: 8 }))).toEqual([
    'team_memberships',
    'idempotency_steps',
    'counters',
    'teams',
    'users',
  ])
  const bulk = [add(2, 2), add(3, 3), add(4, 4)]
  expect(await orderOf(memberships.changeMany(by('a'), bulk, 'atomic'))).toEqual(order)
  expect(await orderOf(memberships.move(by('a'), 1, { userId: 5, teamId: 5 }, null))).toEqual(order)
  const mixed = [move(1, { userId: 6, teamId: 6 }), move(2, { userId: 1, teamId: 1 }), add(7, 7)]
  expect(await orderOf(memberships.changeMany(by('a'), mixed, 'atomic'))).toEqual(order)
})
