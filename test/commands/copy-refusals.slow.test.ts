import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import { startServer } from '../server/gateways/start-server.ts'
import { runInProcess } from '../server/processes/run-in-process.ts'
import { makeTempFolder, type TempFolder } from '../server/processes/temp-folder.ts'
import { askPostgres } from '../store/databases/ask-postgres.ts'
import { createEmptyDatabase } from '../store/databases/create-database.ts'
import { by } from '../store/databases/origin.ts'
import { createOldDatabase, isMigrated } from '../store/migrations/old-database.ts'

let folder: TempFolder
let from: string
let to: string
beforeEach(async () => {
  folder = makeTempFolder()
  from = join(folder.path, 'store.db')
  to = await createEmptyDatabase()
  const store = await openStore({ url: `sqlite:${from}` })
  await store.memberships.add(by('a'), { userId: 1, teamId: 1 })
  await store.close()
})
afterEach(() => folder.remove())

/** The content of the target: each table and sequence with its rows. */
async function readTarget(url: string): Promise<unknown> {
  const found = await askPostgres<{ name: string; kind: string }>(
    url,
    `select relname as name, relkind as kind from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')
     order by relname`,
  )
  const contents: Record<string, unknown> = {}
  for (const { name } of found) contents[name] = await askPostgres(url, `select * from "${name}"`)
  return contents
}

// Runs a copy that must fail, checks that the target is unchanged, and returns the printed line.
async function refusalOf(databaseUrl = to): Promise<string> {
  const before = await readTarget(to)
  const args = ['--from', `sqlite:${from}`]
  const { code, stdout, stderr } = await runInProcess('copy', args, { DATABASE_URL: databaseUrl })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  const [line = '', ...rest] = stderr.split('\n')
  expect(rest).toEqual(['Nothing was copied.', ''])
  expect(line).not.toMatch(/pa55word|wr0ng/)
  expect(await readTarget(to)).toEqual(before)
  return line
}

function runSqlite(path: string, sql: string): void {
  const client = new SqliteDatabase(path)
  client.exec(sql)
  client.close()
}

async function makeNewer(path: string): Promise<void> {
  await (await openStore({ url: `sqlite:${path}` })).close()
  runSqlite(path, "insert into rostrum_migrations values ('of a later version', 0)")
}

const migrateTarget = async () => (await openStore({ url: to })).close()

test('a target with rows is refused, and keeps them', async () => {
  const store = await openStore({ url: to })
  await store.memberships.add(by('b'), { userId: 2, teamId: 2 })
  await store.close()
  expect(await refusalOf()).toMatch(
    /^The database that DATABASE_URL names is not empty: .* Name an empty one\.$/,
  )
})

test('a second copy into the same target is refused, and the first one stays', async () => {
  const first = await runInProcess('copy', ['--from', `sqlite:${from}`], { DATABASE_URL: to })
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(await refusalOf()).toMatch(/is not empty/)
})

test('a connection that is lost during the commit leaves it unknown, and the line says how to find out', async () => {
  await migrateTarget()
  await askPostgres(
    to,
    `create function cut() returns trigger language plpgsql as
       'begin perform pg_terminate_backend(pg_backend_pid()); return null; end';
     create constraint trigger cut after insert on accounts deferrable initially deferred
       for each row execute function cut()`,
  )
  const { code, stdout, stderr } = await runInProcess('copy', ['--from', `sqlite:${from}`], {
    DATABASE_URL: to,
  })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(
    /^The database did not confirm the copy: terminating .*\. Run .* all was copied\.\n$/,
  )
})

test('a target of a newer version is refused', async () => {
  await migrateTarget()
  await askPostgres(to, "insert into rostrum_migrations values ('of a later version')")
  expect(await refusalOf()).toMatch(
    /is newer than this code: .* Run the version that made it, or a later one\.$/,
  )
})

test('a target that an older version may serve is refused, and not migrated', async () => {
  to = await createOldDatabase()
  await askPostgres(to, "insert into accounts (account_code) values ('b')")
  expect(await refusalOf()).toMatch(/is older than this code, and this command does not migrate it\./)
})

test('a target of an older version that has no account is migrated', async () => {
  to = await createOldDatabase()
  const copy = await runInProcess('copy', ['--from', `sqlite:${from}`], { DATABASE_URL: to })
  expect(copy).toMatchObject({ code: 0, stderr: '' })
  expect(await isMigrated(to)).toBe(true)
})

test('a target with tables of another program is refused', async () => {
  await askPostgres(to, 'create table users (nickname text)')
  expect(await refusalOf()).toMatch(/holds the tables of another program\. Name another database\.$/)
})

test('an unreachable target is reported with the name of its setting', async () => {
  expect(await refusalOf(to.replace(/:\d+\//, ':1/'))).toMatch(
    /DATABASE_URL .* cannot be opened: .* Check the setting/,
  )
})

test('a refused password is reported without showing it', async () => {
  expect(await refusalOf(to.replace('pa55word', 'wr0ng'))).toMatch(
    /DATABASE_URL .*password authentication failed.* Check the setting/,
  )
})

test('a role without the right to create tables is reported with the missing right', async () => {
  await askPostgres(to, "create role reader login password 'wr0ng'")
  onTestFinished(async () => void (await askPostgres(to, 'drop role reader')))
  expect(await refusalOf(to.replace('rostrum:pa55word', 'reader:wr0ng'))).toMatch(
    /permission denied for schema public\. Make its role the owner of the database\./,
  )
})

test('a role that can only read the tables of the target is reported with the missing right', async () => {
  await migrateTarget()
  await askPostgres(
    to,
    "create role reader login password 'wr0ng'; grant select on all tables in schema public to reader",
  )
  onTestFinished(async () => void (await askPostgres(to, 'drop owned by reader; drop role reader')))
  expect(await refusalOf(to.replace('rostrum:pa55word', 'reader:wr0ng'))).toMatch(
    /permission denied for table \w+/,
  )
})

test('a store that a running gateway serves is refused', async () => {
  const server = await startServer({ DATABASE_URL: `sqlite:${from}`, ROSTRUM_SANDBOXES: '1' })
  onTestFinished(async () => void (await server.stop()))
  expect(await refusalOf()).toMatch(/^Another gateway serves the database .* Stop it/)
  expect((await server.rest('GET', '/ready')).status).toBe(200)
})

test.each<[string, RegExp, (path: string) => unknown]>([
  ['that is not there', /^There is no file `.*` *\. Name the path of a store by `--from`\.$/, () => {}],
  [
    'without its log, which has all of it',
    /^The database `.*` holds no store: it has no tables of Rostrum\. Name one that a gateway served\.$/,
    path => runSqlite(path, 'pragma journal_mode = wal; vacuum'),
  ],
  ['without a byte', /^There is no store in the file .*: it is empty\./, path => writeFileSync(path, '')],
  [
    'of text',
    /is not a SQLite database\. Name another path\.$/,
    path => writeFileSync(path, 'Dear diary,\n'.repeat(99)),
  ],
  ['that is a folder', /is a folder\. Name the path of a file\.$/, path => mkdirSync(path)],
  [
    'of another program',
    /holds the tables of another program\. Name another path\.$/,
    path => runSqlite(path, 'create table diary (line text)'),
  ],
  ['of a newer version', /is newer than this code: /, makeNewer],
])('a source %s is refused with its path', async (_, line, make) => {
  from = join(folder.path, 'other.db')
  await make(from)
  expect(await refusalOf()).toMatch(line)
})

test('a source of an older version is refused, and stays as it is', async () => {
  runSqlite(from, 'delete from rostrum_migrations where rowid = (select max(rowid) from rostrum_migrations)')
  const before = readFileSync(from)
  expect(await refusalOf()).toMatch(
    / is older than this code, .* run the command of the version that made it\.$/,
  )
  expect(readFileSync(from).equals(before)).toBe(true)
})
