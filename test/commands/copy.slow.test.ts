import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import { startServer } from '../server/gateways/start-server.ts'
import { runInProcess } from '../server/processes/run-in-process.ts'
import { runCommand, spawnCommand } from '../server/processes/spawn-command.ts'
import { makeTempFolder, type TempFolder } from '../server/processes/temp-folder.ts'
import { openClient } from '../store/databases/ask-postgres.ts'
import { createEmptyDatabase } from '../store/databases/create-database.ts'
import { fillStore } from '../store/databases/fill-store.ts'

let folder: TempFolder
let databaseUrl: string
let from: string
beforeEach(async () => {
  folder = makeTempFolder()
  from = `sqlite:${join(folder.path, 'store.db')}`
  databaseUrl = await createEmptyDatabase()
})
afterEach(() => folder.remove())

const runCopy = (...args: string[]) => runCommand(['copy', ...args], { DATABASE_URL: databaseUrl })

test('a gateway on the copy accepts the same tokens, gives the same answers and continues the ids', async () => {
  const first = await startServer({ DATABASE_URL: from })
  const beta = await first.token({ account: 'beta', user: 7 })
  const body = (user_id: number, team_id: number) => ({ body: { team_membership: { user_id, team_id } } })
  for (const team of [1, 2, 3])
    await first.rest('POST', '/platform/team_memberships', { ...body(7, team), token: beta })
  await first.rest('PUT', '/platform/team_memberships/2', { ...body(8, 2), token: beta })
  await first.rest('DELETE', '/platform/team_memberships/3', { token: beta })
  await first.rest('PUT', '/platform/users/7', { body: { user: { display_name: '👩‍🚀 Ann' } }, token: beta })
  const paths = [
    '/platform/team_memberships?ids[]=1&ids[]=2&ids[]=3',
    '/platform/team_memberships/2',
    '/platform/users/7',
  ]
  const events =
    '{ teamMembershipEvents(first: 10) { edges { cursor node { kind teamMembershipId at txnID } } } }'
  const ask = async (server: typeof first) => {
    const answers = [await server.graphql(events, {}, beta)]
    for (const path of paths) answers.push(await server.rest('GET', path, { token: beta }))
    return answers.map(({ status, headers, body }) => ({ status, etag: headers.get('etag'), body }))
  }
  const before = await ask(first)
  expect(before.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(before[0]?.body).toMatchObject({ data: { teamMembershipEvents: { edges: { length: 5 } } } })
  await first.stop()

  const { code, stdout, stderr } = await runCopy('--from', from)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^TABLE +ROWS +SHA-256\naccounts +2 +[0-9a-f]{64}\n/)
  expect(stdout).toMatch(/\nteam_memberships +2 +[0-9a-f]{64}\n(.*\n)*membership_events +5 +[0-9a-f]{64}\n/)
  expect(stdout).toMatch(/\nCopied: both databases hold these rows\.\n$/)

  const second = await startServer({ DATABASE_URL: databaseUrl })
  expect(await ask(second)).toEqual(before)
  const added = await second.rest('POST', '/platform/team_memberships', { ...body(9, 9), token: beta })
  expect(added.body).toMatchObject({ team_membership: { id: 4 } })
  expect(await second.token({ account: 'beta' })).toMatch(/^rst_/)
  await second.stop()
})

test('a copy that is killed halfway leaves nothing, and the next one copies everything', async () => {
  const { copy, client } = await startCopyThatWaits()
  copy.process.kill('SIGKILL')
  await copy.ended
  await client.query('select pg_advisory_unlock(1)')
  await until(async () => (await client.query(locked)).rows.length === 0)
  expect((await readCopied(client)).rows).toEqual([])
  await client.end()
  expect(await runCopy('--from', from)).toMatchObject({ code: 0, stderr: '' })
})

test('a copy that loses its connection reports it in one line and leaves nothing', async () => {
  const { copy, client } = await startCopyThatWaits()
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'rostrum'`,
  )
  expect(await copy.ended).toBe(1)
  expect(copy.stdout()).toBe('')
  expect(copy.stderr()).toMatch(/^The .*(copied|broken off): .*\nNothing was copied\.\n$/)
  expect((await readCopied(client)).rows).toEqual([])
  await client.end()
})

test.each([
  [[], /`--from sqlite:<path>`/],
  [['--from', 'data/rostrum.db'], /`--from sqlite:<path>`/],
  [['--from', 'sqlite::memory:'], /`--from sqlite:<path>`/],
  [['--from', 'sqlite:x.db', '--force'], /--force.*--help/],
  [['--from', 'sqlite:x.db', 'y.db'], /y\.db.*--help/],
  [['--from'], /--from.*--help/],
  [['--from', 'sqlite:x.db', '--from', 'sqlite:x.db'], /`--from` is given twice/],
])('%j is refused with one line that says what to do', async (args, line) => {
  const { code, stdout, stderr } = await runInProcess('copy', args, { DATABASE_URL: databaseUrl })
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toMatch(line)
  expect(stderr.trimEnd()).not.toContain('\n')
})

test('a missing target is reported with the way to set it', async () => {
  databaseUrl = `sqlite:${join(folder.path, 'other.db')}`
  const { code, stderr } = await runInProcess('copy', ['--from', from], { DATABASE_URL: databaseUrl })
  expect(code).toBe(64)
  expect(stderr).toBe('Name the database to copy into: set DATABASE_URL to `postgres://…`.\n')
  expect(existsSync(join(folder.path, 'other.db'))).toBe(false)
})

// The server has databases of other tests as well.
const here = 'database = (select oid from pg_database where datname = current_database())'
const locked = `select 1 from pg_locks where ${here} and mode = 'ExclusiveLock' and relation is not null`
const waiting = `select 1 from pg_locks where ${here} and locktype = 'advisory' and not granted`

// Stops a copy halfway: it waits for the lock that `client` holds, after most tables are written.
async function startCopyThatWaits() {
  await fillStore(join(folder.path, 'store.db'))
  await (await openStore({ url: databaseUrl })).close()
  const client = await openClient(databaseUrl)
  await client.query(`
    create function wait() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(1); return null; end $$;
    create trigger wait after insert on membership_events execute function wait()`)
  await client.query('select pg_advisory_lock(1)')
  const copy = spawnCommand(['copy', '--from', from], { DATABASE_URL: databaseUrl })
  await until(async () => (await client.query(waiting)).rows.length > 0)
  return { copy, client }
}

const readCopied = (client: Client) =>
  client.query('select 1 from accounts union all select 1 from users union all select 1 from teams')

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(resolve => setTimeout(resolve, 20))
}
