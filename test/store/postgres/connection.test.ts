import { once } from 'node:events'
import { type AddressInfo, connect as connectTo, createServer, type Server } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { StartError } from '../../../src/errors.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { connect } from '../../../src/store/postgres/connection/connect.ts'
import { startProxy } from '../../faults/replicas/start-proxy.ts'
import { askPostgres, openClient } from '../databases/ask-postgres.ts'
import { createDatabase, createEmptyDatabase } from '../databases/create-database.ts'
import { by } from '../databases/origin.ts'

async function openingFails(url: string): Promise<string> {
  const failure = await openStore({ url }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StartError)
  const { message } = failure as StartError
  expect(message).toMatch(/DATABASE_URL/)
  expect(message).not.toMatch(/\n/)
  return message
}

test('a wrong password, database, port or URL is one line that names the setting and no password', async () => {
  const url = await createDatabase()
  const bad = url.replace('pa55word', 'wr0ng')
  expect(await openingFails(bad)).toMatch(/password authentication failed/)
  expect(await openingFails(`${url}_missing`)).toMatch(/does not exist/)
  expect(await openingFails(url.replace(/:\d+\//, ':1/'))).toMatch(/ECONNREFUSED/)
  const unreadable = await openingFails(url.replace(/@.*/, '@[::1/x'))
  const cutInTwo = await openingFails(url.replace('pa55word', 'secret@wr0ng/x'))
  expect(cutInTwo).toMatch(/not a URL.*`%40`/)
  for (const line of [await openingFails(bad), unreadable, cutInTwo])
    expect(line).not.toMatch(/pa55word|wr0ng/)
})

test('a URL without the password that the server asks for is said to have none', async () => {
  const ask = (kind: number, data: string) => {
    const head = Buffer.from([0x52, 0, 0, 0, 8 + data.length, 0, 0, 0, kind])
    return Buffer.concat([head, Buffer.from(data)])
  }
  // The requests of a server with the usual authentication, SCRAM, up to the one that needs the password.
  const server = createServer(socket => {
    const requests = [ask(10, 'SCRAM-SHA-256\0\0'), ask(11, 'r=nonce,s=c2FsdA==,i=4096')]
    socket.on('data', () => socket.write(requests.shift() ?? ''))
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  expect(await openingFails(`postgres://rostrum@127.0.0.1:${port}/rostrum`)).toBe(
    'The database that DATABASE_URL names cannot be opened: the server asks for a password, and the URL has none. ' +
      'Check the setting, and that PostgreSQL runs.',
  )
})

test('a URL that names a schema is refused, because the tables would be in another one', async () => {
  expect(await openingFails('postgres://u:pa55word@127.0.0.1:1/d?schema=rostrum')).toMatch(
    /uses the schema `public`/,
  )
})

test('a gateway that hangs with the lock for migrations holds up no start on a migrated database', async () => {
  const url = await createDatabase()
  const hung = await openClient(url)
  onTestFinished(() => hung.end())
  await hung.query('begin')
  await hung.query('select pg_advisory_xact_lock(7248330115)')
  await (await openStore({ url })).close()
})

test('PostgreSQL compiles no statements, unless the URL says so', async () => {
  const url = await createDatabase()
  for (const [options, expected] of [
    ['', 'off'],
    ['?options=-c%20jit%3Don', 'on'],
  ]) {
    const client = await connect(`${url}${options}`)
    const { rows } = await client.query('show jit')
    await client.end()
    expect(rows).toEqual([{ jit: expected }])
  }
})

test('ping rejects while the server is gone, and the store works again by itself', async () => {
  const url = await createDatabase()
  const proxy = await startProxy(Number(new URL(url).port))
  const store = await openStore({ url: url.replace(/:\d+\//, `:${proxy.port}/`) })
  const added = await store.memberships.add(by('a'), { userId: 7, teamId: 3 })
  await proxy.closeWhile(async () => {
    await expect(store.ping()).rejects.toThrow()
    await expect(store.memberships.add(by('a'), { userId: 8, teamId: 3 })).rejects.toThrow()
  })
  await expect.poll(() => store.ping().then(() => 'answers', String)).toBe('answers')
  const again = await store.memberships.add(by('a'), { userId: 7, teamId: 3 })
  expect(added.kind).toBe('added')
  expect(again.kind).toBe('duplicate')
  await store.close()
  await proxy.stop()
})

test('times are read in any date style of the database', async () => {
  const url = await createDatabase()
  await askPostgres(url, `alter database ${new URL(url).pathname.slice(1)} set datestyle to 'German, DMY'`)
  const store = await openStore({ url })
  const before = Date.now()
  await store.memberships.add(by('a'), { userId: 7, teamId: 3 })
  const after = Date.now()
  const [event] = await store.events.listAfter('a', 0, 1)
  const at = Number(event?.at)
  expect([before, at, after].toSorted()).toEqual([before, at, after])
  await store.close()
})

test('lists have nulls in a database that refuses them, also with options in its URL', async () => {
  const url = await createDatabase()
  await askPostgres(url, `alter database ${new URL(url).pathname.slice(1)} set array_nulls to off`)
  const store = await openStore({ url: `${url}?options=-c%20statement_timeout%3D3000` })
  const items = [{ userId: 7, teamId: 3 }]
  const result = await store.memberships.changeMany(by('a'), { kind: 'add', items }, 'atomic')
  expect(result.applied).toBe(true)
  await store.close()
})

test('a schema that the database would search first, such as that of the role, gets no tables', async () => {
  const url = await createEmptyDatabase()
  await askPostgres(url, 'create schema own')
  await askPostgres(url, `alter database ${new URL(url).pathname.slice(1)} set search_path to own, public`)
  const store = await openStore({ url })
  const added = await store.memberships.add(by('a'), { userId: 7, teamId: 3 })
  expect(added.kind).toBe('added')
  const rows = await askPostgres(url, "select schemaname from pg_tables where tablename = 'accounts'")
  expect(rows).toEqual([{ schemaname: 'public' }])
  await store.close()
})

test('gateways start together on a database that would have transactions be serializable', async () => {
  const url = await createEmptyDatabase()
  const name = new URL(url).pathname.slice(1)
  await askPostgres(url, `alter database ${name} set default_transaction_isolation to serializable`)
  const stores = await Promise.all([1, 2, 3].map(() => openStore({ url })))
  for (const store of stores) await store.close()
})

test('a database of another encoding is refused', async () => {
  const url = new URL(await createEmptyDatabase())
  const latin = `${url.pathname.slice(1)}_latin`
  await askPostgres(url.href, `create database ${latin} encoding 'LATIN1' template template0 locale 'C'`)
  url.pathname = latin
  expect(await openingFails(url.href)).toMatch(/has the encoding LATIN1\. Rostrum needs one with UTF8/)
})

test('a database that bounds statements and transactions is migrated', async () => {
  const url = await createEmptyDatabase()
  for (const bound of ['statement_timeout', 'transaction_timeout'])
    await askPostgres(url, `alter database ${new URL(url).pathname.slice(1)} set ${bound} to '100ms'`)
  const client = await connect(url)
  await client.query('begin; select pg_sleep(0.3); commit')
  await client.end()
})

test('a pooler that refuses statement bounds is reported when the store opens', async () => {
  const url = await createDatabase()
  const pooler = await startPooler(Number(new URL(url).port))
  onTestFinished(() => void pooler.close())
  const { port } = pooler.address() as AddressInfo
  expect(await openingFails(url.replace(/:\d+\//, `:${port}/`))).toMatch(/unsupported startup parameter/)
})

/** Refuses connections as PgBouncer does that ask for a `statement_timeout`. */
async function startPooler(targetPort: number): Promise<Server> {
  const message = 'SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0'
  const refusal = Buffer.alloc(5 + message.length, `E....${message}`)
  refusal.writeInt32BE(4 + message.length, 1)
  const pooler = createServer(client => {
    client.once('data', hello => {
      if (hello.includes('statement_timeout')) return void client.end(refusal)
      const target = connectTo(targetPort, '127.0.0.1')
      target.write(hello)
      client.pipe(target).pipe(client)
    })
  })
  await new Promise<void>(resolve => pooler.listen(0, '127.0.0.1', resolve))
  return pooler
}

test('a move that PostgreSQL ends for a deadlock is made again', async () => {
  const url = await createDatabase()
  const store = await openStore({ url })
  const ids = []
  for (const teamId of [1, 2]) {
    const added = await store.memberships.add(by('a'), { userId: 7, teamId })
    if (added.kind === 'added') ids.push(added.membership.id)
  }
  await store.teams.save(by('a'), 1_000, {})
  const [first = 0, second = 0] = ids
  const rival = await openClient(url)
  // Who looks for the deadlock first is the one to be ended: that must be the move.
  await rival.query("begin; set local deadlock_timeout = '20s'")
  await rival.query('update team_memberships set team_id = 1000 where id = $1', [second])
  const moved = store.memberships.move(by('a'), first, { teamId: 1000 }, null)
  await waitForLock(url)
  // Each now waits for the other.
  await rival.query('update team_memberships set version = version where id = $1', [first])
  await rival.query('rollback')
  expect(await moved).toMatchObject({ kind: 'moved', membership: { id: first, teamId: 1000 } })
  await rival.end()
  await store.close()
})

/** Resolves when a statement of this database waits for a lock. */
async function waitForLock(url: string): Promise<void> {
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(() => askPostgres(url, waiting), { interval: 10 }).toHaveLength(1)
}
