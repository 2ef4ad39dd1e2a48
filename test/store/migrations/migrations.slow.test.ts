import { readFile } from 'node:fs/promises'
import SqliteDatabase from 'better-sqlite3'
import { expect, test } from 'vitest'
import { rowBytes } from '../../../src/domain/idempotency/idempotency.ts'
import { storedRowBytes } from '../../../src/domain/store-limits.ts'
import { StartError } from '../../../src/errors.ts'
import { readMigrations } from '../../../src/store/migrations.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { askPostgres, openClient } from '../databases/ask-postgres.ts'
import { eachStore, type Harness } from '../databases/each-store.ts'
import { kill, openInChild } from '../databases/open-in-child.ts'
import { by } from '../databases/origin.ts'
import { readRows } from '../databases/read-rows.ts'
import { readKeyUsage } from '../idempotency/read-key-usage.ts'

eachStore(harness => {
  const known = readMigrations(harness.engine === 'SQLite' ? 'sqlite' : 'postgres').map(({ hash }) => hash)

  test('a store is brought to the newest migration once', async () => {
    const url = await harness.emptyUrl()
    for (const _ of [1, 2]) await (await openStore({ url })).close()
    expect(await readHashes(harness, url)).toEqual(known)
  })

  test('four processes open one empty store at once, and it is migrated once', async () => {
    const url = await harness.emptyUrl()
    const opened = await Promise.all([1, 2, 3, 4].map(() => openInChild({ url })))
    for (const { child } of opened) await kill(child)
    expect(opened.map(({ said }) => said)).toEqual(['open', 'open', 'open', 'open'])
    expect(await readHashes(harness, url)).toEqual(known)
  })

  test('one empty store is opened ten times at once, and is migrated once', async () => {
    const url = await harness.emptyUrl()
    const stores = await Promise.all(Array.from({ length: 10 }, () => openStore({ url })))
    for (const store of stores) await store.close()
    expect(await readHashes(harness, url)).toEqual(known)
  })

  test.skipIf(harness.engine === 'SQLite')('a start that waits for another migration says so', async () => {
    const url = await harness.emptyUrl()
    const hung = await openClient(url)
    await hung.query('begin')
    await hung.query('select pg_advisory_xact_lock(7248330115)')
    const waits = Promise.withResolvers<void>()
    const opening = openStore({ url, onWait: waits.resolve })
    await waits.promise
    await hung.end()
    await (await opening).close()
  })

  test('a store that is newer than the code is refused and stays as it is', async () => {
    const url = await harness.emptyUrl()
    await (await openStore({ url })).close()
    await runSql(harness, {
      url,
      sqlite: `insert into rostrum_migrations (hash, applied_at) values ('${'f'.repeat(64)}', 0)`,
      postgres: `insert into rostrum_migrations (hash) values ('${'f'.repeat(64)}')`,
    })
    const before = await readBytes(harness, url)
    const failure = await openStore({ url }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StartError)
    expect(String(failure)).toMatch(/newer than this code.*[^\n]$/)
    expect(await readBytes(harness, url)).toEqual(before)
  })

  /** A store as the first `count` migrations left it, with what the SQL puts in. */
  async function makeOldStore(count: number, rows: { sqlite: string; postgres: string }): Promise<string> {
    const url = await harness.emptyUrl()
    const old = readMigrations(harness.engine === 'SQLite' ? 'sqlite' : 'postgres').slice(0, count)
    const tables = old.flatMap(({ sql }) => sql).join(';')
    const hashes = old.map(({ hash }) => hash)
    const number = harness.engine === 'SQLite' ? 'integer not null' : 'timestamptz not null default now()'
    const migrations = `create table rostrum_migrations (hash text not null, applied_at ${number});`
    const applied = (rest: string) =>
      hashes.map(hash => `insert into rostrum_migrations values ('${hash}'${rest})`).join(';')
    await runSql(harness, {
      url,
      sqlite: `${tables}; ${rows.sqlite}; ${migrations} ${applied(', 0')}`,
      postgres: `${tables}; ${rows.postgres}; ${migrations} ${applied('')}`,
    })
    return url
  }

  test.skipIf(harness.engine === 'PostgreSQL')(
    'a start says once that it migrates an older store',
    async () => {
      const url = await makeOldStore(1, { sqlite: '', postgres: '' })
      let said = 0
      for (const _ of [1, 2]) await (await openStore({ url, onWait: () => said++ })).close()
      // One that is new has nothing to migrate.
      await (await openStore({ url: await harness.emptyUrl(), onWait: () => said++ })).close()
      expect(said).toBe(1)
    },
  )

  test('a store of the first release keeps its rows, and gives out no id twice', async () => {
    const rows = `
      insert into accounts (account_code) values ('a');
      insert into users (account_code, id, email) values ('a', 7, 'ann@example.com');
      insert into teams (account_code, id, name) values ('a', 3, 'Red');
      insert into team_memberships (account_code, user_id, team_id, version, id) values ('a', 7, 3, 5, 1)`
    const url = await makeOldStore(1, {
      sqlite: `${rows}; insert into counters values ('', 'membership', 1)`,
      postgres: `${rows}; select nextval('team_memberships_id_seq')`,
    })
    const store = await harness.open({ url })
    expect(await readHashes(harness, url)).toEqual(known)
    expect(known.length).toBeGreaterThan(1)
    const membership = { id: 1, userId: 7, teamId: 3, leader: null, version: 5 }
    expect(await store.memberships.findByIds('a', [1])).toEqual([membership])
    expect(await store.users.findByIds('a', [7])).toMatchObject([{ email: 'ann@example.com' }])
    expect(await store.teams.findByIds('a', [3])).toMatchObject([{ name: 'Red' }])
    expect(await store.events.newest('a')).toBe(0)
    expect(await store.memberships.add(by('a'), { userId: 8, teamId: 3 })).toMatchObject({
      membership: { id: 2 },
    })
    expect(await store.memberships.move(by('a'), 1, { teamId: 4 }, [5])).toMatchObject({ kind: 'moved' })
    expect(await store.events.newest('a')).toBe(2)
  })

  test('a migration counts the keys that an older store has', async () => {
    const rows = (time: string) => `
      insert into idempotency_keys (account_code, key, fingerprint, holder, held_until, answer)
        values ('a', 'k', '', 'h', ${time}, '0123456789'), ('a', 'l', '', 'h', ${time}, null),
          ('b', 'k', '', 'h', ${time}, '');
      insert into idempotency_steps (account_code, key, number, result) values ('a', 'k', 1, 'é'), ('a', 'k', 2, '')`
    const url = await makeOldStore(2, { sqlite: rows('0'), postgres: rows('now()') })
    await (await openStore({ url })).close()
    const usage = { a: 4 * rowBytes + 10 + 2, b: rowBytes }
    for (const [accountCode, bytes] of Object.entries(usage)) {
      const { counted, ofKeys, ofRows } = await readKeyUsage(url, accountCode)
      expect([counted, ofKeys, ofRows]).toEqual([bytes, bytes, bytes])
    }
  })

  test('a migration gives each account its own counters, past every id that it has', async () => {
    const created = 2 ** 52
    const rows = `
      insert into accounts (account_code) values ('a'), ('b'), ('c');
      insert into users (account_code, id) values ('a', 7), ('a', ${created}), ('a', ${2 ** 53 - 1}),
        ('b', 7), ('b', ${created + 1});
      insert into teams (account_code, id) values ('a', 3), ('b', 3);
      insert into team_memberships (account_code, user_id, team_id, id) values ('a', 7, 3, 4), ('b', 7, 3, 40);
      insert into membership_events (account_code, sequence, kind, membership_id, transaction_id) values
        ('a', 1, 'added', 4, 't'), ('a', 2, 'added', 39, 't'), ('a', 3, 'removed', 39, 't');
      insert into counters values ('a', 'membership event', 3)`
    const url = await makeOldStore(2, {
      sqlite: `${rows}; insert into counters values ('', 'membership', 41), ('', 'created user', ${created + 1})`,
      postgres: `${rows}; select setval('team_memberships_id_seq', 41), setval('created_user_ids', ${created + 1})`,
    })
    const store = await harness.open({ url })
    const details = { email: null, displayName: null }
    const ids = { a: [40, created + 1], b: [41, created + 2], c: [1, created], d: [1, created] }
    for (const [account, expected] of Object.entries(ids)) {
      const added = await store.memberships.add(by(account), { userId: 8, teamId: 8 })
      const user = await store.users.create(account, details)
      expect([added.kind === 'added' && added.membership.id, user.id]).toEqual(expected)
    }
    expect(await store.memberships.findByIds('a', [4, 40])).toHaveLength(2)
  })

  test('a migration gives each queued run an input of its own, and counts those that wait', async () => {
    const row = (id: number, state: string, input: string, time: string) =>
      `('a', ${id}, '${state}', 'hook', 1, 'f', 't', 0, '{}', '', 1, ${time}, '${input}', '{}')`
    const rows = (time: string) => `
      insert into accounts (account_code) values ('a'), ('b');
      insert into queue_accounts (account_code, last_id, waiting) values ('a', 3, 1), ('b', 0, 0);
      insert into queued_runs (account_code, id, state, trigger, function_id, name, txn_id, generation, caused_by,
        scopes, attempt, due_at, input, options) values
        ${row(1, 'dead', '1', time)}, ${row(2, 'running', '"é"', time)}, ${row(3, 'waiting', '[]', time)}`
    const url = await makeOldStore(15, { sqlite: rows('0'), postgres: rows('now()') })
    const store = await harness.open({ url })
    const read = `select id, runs, bytes, waiting_bytes, input from queued_inputs order by id`
    expect((await readRows(url, read)).map(row => Object.values(row).map(String))).toEqual([
      ['1', '1', '3', '0', '1'],
      ['2', '1', '6', '6', '"é"'],
      ['3', '1', '4', '4', '[]'],
    ])
    const waiting = await readRows(url, 'select waiting_bytes from queue_accounts order by account_code')
    expect(waiting.map(row => Object.values(row).map(String))).toEqual([['10'], ['0']])
    expect(await store.accounts.findStoredBytes('a')).toBe(13 + 6 * storedRowBytes)
    expect(await store.queue.cancel(by('a'), 1)).toMatchObject({ id: expect.any(Number) })
    expect(await readRows(url, read)).toHaveLength(2)
    expect(await store.accounts.findStoredBytes('a')).toBe(10 + 4 * storedRowBytes)
  })

  test('a migration takes sources out of the inputs, and counts their rows', async () => {
    const rows = `
      insert into accounts (account_code) values ('a'), ('b');
      insert into counters values ('a', 'stored byte', 1000), ('b', 'stored byte', 10);
      insert into run_inputs (account_code, id, started_at, input, source) values
        ('a', 1, 0, '{}', '"exit(1)"'), ('a', 2, 0, '{}', '"exit(1)"'), ('a', 3, 0, '{}', null)`
    const url = await makeOldStore(25, { sqlite: rows, postgres: rows })
    const store = await harness.open({ url })
    const texts = await store.runs.findTexts('a', 'source', [1, 2, 3])
    expect(texts.map(({ id, text }) => [id, text]).toSorted()).toEqual([
      [1, '"exit(1)"'],
      [2, '"exit(1)"'],
    ])
    const counted = await readRows<{ value: number }>(
      url,
      "select value from counters where name = 'stored byte' order by account_code",
    )
    expect(counted.map(({ value }) => Number(value))).toEqual([1000 + 2 * storedRowBytes, 10])
  })

  test('a migration names the trigger of each queued run by its kind and one id', async () => {
    const migrations = readMigrations(harness.engine === 'SQLite' ? 'sqlite' : 'postgres')
    const count = migrations.findIndex(({ sql }) => sql.join().includes('trigger_id'))
    const row = (id: number, trigger: string, ids: string, time: string) =>
      `('a', ${id}, 'dead', '${trigger}', ${ids}, 1, 'f', ${id === 1 ? '5, null' : 'null, null'}, 't', 0, '{}', '',
        1, ${time}, ${id})`
    const rows = (time: string) => `
      insert into accounts (account_code) values ('a');
      insert into queue_accounts (account_code, last_id, waiting) values ('a', 3, 0);
      insert into queued_inputs (account_code, id, runs, bytes, waiting_bytes, input, options) values
        ('a', 1, 1, 4, 0, '{}', '{}'), ('a', 2, 1, 4, 0, '{}', '{}'), ('a', 3, 1, 4, 0, '{}', '{}');
      insert into queued_runs (account_code, id, state, trigger, hook_id, webhook_id, function_id, name, case_id, lane,
        txn_id, generation, caused_by, scopes, attempt, due_at, input_id) values
        ${row(1, 'hook', '7, null', time)}, ${row(2, 'webhook', 'null, 8', time)},
        ${row(3, 'webhook', 'null, 7', time)}`
    const url = await makeOldStore(count, { sqlite: rows('0'), postgres: rows('now()') })
    const store = await harness.open({ url })
    const listed = await store.queue.list('a', null, 0, 10)
    expect(listed.map(({ id, trigger, triggerId }) => [id, trigger, triggerId])).toEqual([
      [1, 'hook', 7],
      [2, 'webhook', 8],
      [3, 'webhook', 7],
    ])
    const ofWebhook = { of: { trigger: 'webhook', triggerId: 7 }, limit: 10 } as const
    expect(await store.queue.retryDead(by('a'), ofWebhook)).toBe(1)
    expect(await store.queue.retryDead(by('a'), { of: null, limit: 10 })).toBe(2)
    const lanes = await readRows<{ lane: string | null }>(url, 'select lane from queued_runs order by id')
    expect(lanes.map(({ lane }) => lane)).toEqual(['7/5', null, null])
  })

  test('a database with the tables of another program is refused and gets no table', async () => {
    const url = await harness.emptyUrl()
    const sql = 'create table users (name text)'
    await runSql(harness, { url, sqlite: sql, postgres: sql })
    const before = await readBytes(harness, url)
    const failure = await openStore({ url }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StartError)
    expect(String(failure)).toMatch(/holds the tables of another program/)
    expect(await readBytes(harness, url)).toEqual(before)
    if (harness.engine === 'PostgreSQL') expect(await readTables(url)).toEqual(['users'])
  })
})

interface Statement {
  readonly url: string
  readonly sqlite: string
  readonly postgres: string
}

async function runSql(harness: Harness, { url, ...statement }: Statement): Promise<void> {
  if (harness.engine === 'SQLite') {
    const client = new SqliteDatabase(pathOf(url))
    client.exec(statement.sqlite)
    client.close()
    return
  }
  await askPostgres(url, statement.postgres)
}

async function readHashes(harness: Harness, url: string): Promise<string[]> {
  if (harness.engine === 'SQLite') {
    const client = new SqliteDatabase(pathOf(url))
    const hashes = client.prepare<[], string>('select hash from rostrum_migrations').pluck().all()
    client.close()
    return hashes
  }
  const rows = await askPostgres<{ hash: string }>(url, 'select hash from rostrum_migrations')
  return rows.map(({ hash }) => hash)
}

async function readTables(url: string): Promise<string[]> {
  const rows = await askPostgres<{ name: string }>(
    url,
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')`,
  )
  return rows.map(({ name }) => name)
}

// Only the file of SQLite can be compared byte by byte.
async function readBytes(harness: Harness, url: string): Promise<string | null> {
  return harness.engine === 'SQLite' ? (await readFile(pathOf(url))).toString('base64') : null
}

function pathOf(url: string): string {
  return url.slice('sqlite:'.length)
}
