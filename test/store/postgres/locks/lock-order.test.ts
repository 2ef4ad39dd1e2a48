import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Store } from '../../../../src/domain/store.ts'
import { openStore } from '../../../../src/store/open-store.ts'
import { openClient } from '../../databases/ask-postgres.ts'
import { createDatabase } from '../../databases/create-database.ts'
import { by } from '../../databases/origin.ts'
import { add, move, remove, together } from '../../memberships/bulk-changes.ts'

let store: Store
let client: Client

beforeAll(async () => {
  const url = await createDatabase()
  store = await openStore({ url })
  client = await openClient(url)
  await client.query(`
    create table touched (place serial, name text);
    create function touch() returns trigger language plpgsql as $$
      begin
        insert into touched (name) values (coalesce(to_jsonb(new) ->> 'name', tg_table_name));
        return coalesce(new, old);
      end $$`)
  for (const table of ['team_memberships', 'idempotency_steps', 'counters', 'teams', 'users'])
    await client.query(
      `create trigger touch before insert or update or delete on ${table} for each row execute function touch()`,
    )
})

afterAll(async () => {
  await client.end()
  await store.close()
})

// The counters by their names, and the tables of other rows that the work locked, each where it first did.
async function orderOf(work: Promise<unknown>): Promise<string[]> {
  await work
  const { rows } = await client.query<{ name: string }>('select name from touched order by place')
  await client.query('truncate touched')
  return [...new Set(rows.map(({ name }) => name))]
}

const ids = 'membership'
const rows = 'team_memberships'
const step = 'idempotency_steps'
const rest = ['membership event', 'teams', 'users']
const keyed = (key: string) => ({ ...by('a'), step: { key, number: 1 } })

test('changes lock the counter of ids, rows and pairs, the step, the counter of events, teams, users', async () => {
  const { memberships } = store
  expect(await orderOf(memberships.add(by('a'), { userId: 1, teamId: 1 }))).toEqual([ids, rows, ...rest])
  expect(await orderOf(memberships.add(keyed('add'), { userId: 8, teamId: 8 }))).toEqual([
    ids,
    rows,
    step,
    ...rest,
  ])
  expect(await orderOf(memberships.add(by('a'), { userId: 8, teamId: 8 }))).toEqual([])

  const moved = { userId: 5, teamId: 5 }
  expect(await orderOf(memberships.move(by('a'), 1, moved, null))).toEqual([rows, ...rest])
  const again = { userId: 9, teamId: 9 }
  expect(await orderOf(memberships.move(keyed('move'), 1, again, null))).toEqual([rows, step, ...rest])
  expect(await orderOf(memberships.remove(keyed('remove'), 1, null))).toEqual([
    rows,
    step,
    'membership event',
  ])

  const bulk = together([add(2, 2), add(3, 3), add(4, 4)])
  expect(await orderOf(memberships.changeMany(by('a'), bulk, 'atomic'))).toEqual([ids, rows, ...rest])
  const keyedOrder = (key: string, changes: Parameters<typeof together>[0]) =>
    orderOf(memberships.changeMany(keyed(key), together(changes), 'atomic'))
  expect(await keyedOrder('adds', [add(7, 7)])).toEqual([ids, rows, step, ...rest])
  const moves = [move(2, { userId: 6, teamId: 6 }), move(3, { userId: 1, teamId: 1 })]
  expect(await keyedOrder('moves', moves)).toEqual([ids, rows, step, ...rest])
  expect(await keyedOrder('removals', [remove(2)])).toEqual([ids, rows, step, 'membership event'])
})
