import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import SqliteDatabase from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hashToken } from '../../../src/domain/directory/api-token.ts'
import type { Store } from '../../../src/domain/store.ts'
import { StartError } from '../../../src/errors.ts'
import { copiedTables } from '../../../src/store/copy/copied-tables.ts'
import { copyStore } from '../../../src/store/copy/copy-store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { makeTempFolder, type TempFolder } from '../../server/processes/temp-folder.ts'
import { askPostgres, openClient } from '../databases/ask-postgres.ts'
import { createEmptyDatabase } from '../databases/create-database.ts'
import { filled, fillStore } from '../databases/fill-store.ts'
import { by } from '../databases/origin.ts'

let folder: TempFolder
let to: string
const from = () => join(folder.path, 'store.db')

beforeEach(async () => {
  folder = makeTempFolder()
  to = await createEmptyDatabase()
})
afterEach(() => folder.remove())

/** The number of rows of each table that has any. */
async function countRows(url: string): Promise<Record<string, number>> {
  const client = await openClient(url)
  const counts: Record<string, number> = {}
  for (const { name } of copiedTables) {
    const [row] = (await client.query<{ count: string }>(`select count(*) from "${name}"`)).rows
    if (row?.count !== '0') counts[name] = Number(row?.count)
  }
  await client.end()
  return counts
}

function runSqlite(sql: string): void {
  const client = new SqliteDatabase(from())
  client.pragma('foreign_keys = OFF')
  client.exec(sql)
  client.close()
}

const failureOf = (copy: Promise<unknown>) => copy.then(() => null).catch((error: unknown) => error)

describe('a copied store', () => {
  test('has the statistics that PostgreSQL plans by', async () => {
    await fillStore(from())
    await copyStore({ from: from(), to })
    const rows = await askPostgres<{ name: string }>(to, 'select distinct tablename as name from pg_stats')
    const names = rows.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(Object.keys(await countRows(to))))
  })

  test('answers as the first one did, and gives out no number twice', async () => {
    await fillStore(from())
    const copies = await copyStore({ from: from(), to })
    expect(copies.map(({ name }) => name)).toEqual(copiedTables.map(({ name }) => name))
    // The gateways of the first store are not those of the second.
    const rows = copies.filter(({ name }) => name !== 'gateways').map(({ name, rows }) => [name, rows])
    expect(Object.fromEntries(rows)).toEqual(await countRows(to))
    const [before, after] = [await openStore({ url: `sqlite:${from()}` }), await openStore({ url: to })]
    try {
      for (const account of ['account-0', 'account-1', 'account-2', 'Zeta', 'äther', 'a-b']) {
        const ids = [...Array(filled.memberships + 200).keys(), filled.largestUser]
        for (const rows of ['memberships', 'users', 'teams'] as const) {
          const [was, is] = [
            await before[rows].findByIds(account, ids),
            await after[rows].findByIds(account, ids),
          ]
          const byId = (a: { id: number }, b: { id: number }) => a.id - b.id
          expect(is.toSorted(byId)).toEqual(was.toSorted(byId))
        }
        expect(await after.cases.findByIds(account, [3])).toEqual(await before.cases.findByIds(account, [3]))
        expect(await after.cases.events.listAfter(account, 0, 10)).toEqual(
          await before.cases.events.listAfter(account, 0, 10),
        )
        const events = await before.events.listAfter(account, 0, 10_000)
        expect(await after.events.listAfter(account, 0, 10_000)).toEqual(events)
        const newest = await before.events.newest(account)
        for (const store of [before, after]) {
          expect(await store.memberships.add(by(account), { userId: 1, teamId: 99 })).toMatchObject({
            kind: 'added',
          })
          expect(await store.events.newest(account)).toBe(newest + 1)
        }
      }
      expect(await after.tokens.list(null)).toEqual(await before.tokens.list(null))
      const hashes = [0, 1, 2].map(index => hashToken(`token-${index}`))
      const found = (store: Store) => Promise.all(hashes.map(sha256 => store.tokens.findBySha256(sha256)))
      expect(await found(after)).toEqual(await found(before))
      expect((await found(after)).map(tokens => tokens.length)).toEqual([1, 1, 0])
      const details = { email: null, displayName: null }
      expect(await after.users.create('a-b', details)).toEqual(await before.users.create('a-b', details))
      const added = [before, after].map(store => store.memberships.add(by('Zeta'), { userId: 5, teamId: 5 }))
      expect(await added[1]).toEqual(await added[0])
    } finally {
      await before.close()
      await after.close()
    }
  })

  test('keeps every byte of a text, and every millisecond of a time', async () => {
    await fillStore(from())
    await copyStore({ from: from(), to })
    const [times] = await askPostgres(
      to,
      `select count(*) filter (where created_at = timestamptz '2023-11-14 22:13:20.123+00') as of_one,
        min(created_at) = timestamptz '1969-12-31 23:59:59.999+00' as is_first from accounts`,
    )
    expect(times).toEqual({ of_one: '1', is_first: true })
    const [key] = await askPostgres(to, `select length(answer) from idempotency_keys where key = 'K'`)
    expect(key).toEqual({ length: 3_000_000 })
    const [leaders] = await askPostgres(
      to,
      `select count(*) filter (where leader) as yes, count(*) filter (where not leader) as no,
        count(*) filter (where leader is null) as unset from team_memberships where account_code = 'Zeta'`,
    )
    expect(leaders).toEqual({ yes: '1000', no: '1000', unset: '1000' })
  })

  test('of a store without rows has none, and can be started', async () => {
    await (await openStore({ url: `sqlite:${from()}` })).close()
    const copies = await copyStore({ from: from(), to })
    expect(copies.map(({ rows }) => rows)).toEqual(copies.map(() => 0))
    const store = await openStore({ url: to })
    expect(await store.memberships.add(by('a'), { userId: 1, teamId: 1 })).toMatchObject({
      membership: { id: 1 },
    })
    await store.close()
  })
})

test('writes of a gateway wait until the copy ends', async () => {
  await fillStore(from())
  const store = await openStore({ url: to })
  const holder = await openClient(to)
  await holder.query(`
    create function wait() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(1); return null; end $$;
    create trigger wait after insert on accounts execute function wait();
    select pg_advisory_lock(1)`)
  const waitsFor = async (kind: string) => {
    // The server has databases of other tests too.
    const query = `select 1 from pg_locks where locktype = '${kind}' and not granted
      and database = (select oid from pg_database where datname = current_database())`
    while ((await holder.query(query)).rows.length === 0) await sleep(20)
  }
  const copying = copyStore({ from: from(), to })
  await waitsFor('advisory')
  const written = store.teams.save(by('someone'), 1, { name: 'new' })
  await waitsFor('relation')
  await holder.query('select pg_advisory_unlock(1)')
  const [accounts] = await copying
  expect(accounts).toMatchObject({ name: 'accounts', rows: 6 })
  expect(await written).toEqual({ id: 1, name: 'new' })
  expect(await countRows(to)).toMatchObject({ accounts: 7 })
  await holder.end()
  await store.close()
})

describe('what is copied', () => {
  test('are all tables and all columns that either database has', async () => {
    await (await openStore({ url: `sqlite:${from()}` })).close()
    await (await openStore({ url: to })).close()
    const inPostgres = await askPostgres(
      to,
      `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`,
    )
    const client = new SqliteDatabase(from())
    const inSqlite = client
      .prepare<[], string>(
        `select tables.name || '.' || columns.name
         from sqlite_master as tables, pragma_table_info(tables.name) as columns
         where tables.type = 'table'`,
      )
      .pluck()
      .all()
    client.close()
    const own = (names: readonly string[]) =>
      names.filter(name => !name.startsWith('rostrum_migrations.')).sort()
    const copied = copiedTables
      .flatMap(({ name, columns }) => columns.map(column => `${name}.${column.name}`))
      .sort()
    expect(own(inPostgres.map(({ name }) => name))).toEqual(copied)
    expect(own(inSqlite)).toEqual(copied)
  })
})

describe('nothing is copied', () => {
  beforeEach(() => fillStore(from()))

  test('into a database that has a row', async () => {
    const store = await openStore({ url: to })
    await store.teams.save(by('someone'), 1, { name: 'here' })
    await store.close()
    const failure = await failureOf(copyStore({ from: from(), to }))
    expect(failure).toBeInstanceOf(StartError)
    expect(String(failure)).toMatch(/is not empty: its table `accounts` has rows\. Name an empty one\.$/)
    expect(await countRows(to)).toEqual({ accounts: 1, teams: 1 })
  })

  test('while a gateway serves the file', async () => {
    const gateway = await openStore({ url: `sqlite:${from()}`, serve: true })
    const failure = await failureOf(copyStore({ from: from(), to }))
    expect(String(failure)).toMatch(/gateway serves the database/)
    await gateway.close()
    expect(await copyStore({ from: from(), to })).not.toEqual([])
  })

  test('of a missing file, and no file is created', async () => {
    const missing = join(folder.path, 'other.db')
    expect(String(await failureOf(copyStore({ from: missing, to })))).toMatch(
      /There is no file `.*other\.db`\./,
    )
    expect(existsSync(missing)).toBe(false)
  })

  test.each([
    ['one whose account is missing', `insert into counters values ('nobody', 'x', 1)`, /`counters` .*nobody/],
    ['one with a text that PostgreSQL cannot store', `update teams set name = char(0)`, /`teams` .*u0000/],
  ])('where a later row cannot be: %s', async (_title, change, line) => {
    runSqlite(change)
    const failure = await failureOf(copyStore({ from: from(), to }))
    expect(failure).toBeInstanceOf(StartError)
    expect(String(failure)).toMatch(/The table `\w+` cannot be copied: .*[^\n]$/)
    expect(String(failure)).toMatch(line)
    expect(await countRows(to)).toEqual({})
  })

  test('if a row changes on its way, and the line names the table', async () => {
    await (await openStore({ url: to })).close()
    await askPostgres(
      to,
      `create function change() returns trigger language plpgsql as
        $$ begin new.leader = coalesce(new.leader, false); return new; end $$;
       create trigger change before insert on team_memberships for each row execute function change()`,
    )
    const failure = await failureOf(copyStore({ from: from(), to }))
    expect(failure).toBeInstanceOf(StartError)
    expect(String(failure)).toMatch(
      /The table `team_memberships` changed on its way: (\d+) rows .* became \1 /,
    )
    expect(await countRows(to)).toEqual({})
    const store = await openStore({ url: to })
    await askPostgres(to, 'drop trigger change on team_memberships')
    expect(await store.memberships.add(by('a'), { userId: 1, teamId: 1 })).toMatchObject({
      membership: { id: 1 },
    })
    await store.close()
  })
})
