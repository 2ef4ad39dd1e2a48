import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { RostrumError } from '../../../src/errors.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { startProxy, type TcpProxy } from '../../faults/replicas/start-proxy.ts'
import { askPostgres, openClient } from '../databases/ask-postgres.ts'
import { createDatabase } from '../databases/create-database.ts'
import { by } from '../databases/origin.ts'

let url: string
let proxy: TcpProxy
let store: Store

beforeEach(async () => {
  url = await createDatabase()
  proxy = await startProxy(Number(new URL(url).port))
  store = await openStore({ url: url.replace(/:\d+\//, `:${proxy.port}/`) })
  onTestFinished(async () => {
    await store.close()
    await proxy.stop()
  })
})

const add = (userId: number) => store.memberships.add(by('a'), { userId, teamId: 3 })

const find = () => store.cases.findWithType('a', 1)

/** Locks the memberships until what is given back is called. */
async function lockMemberships(): Promise<() => Promise<void>> {
  const rival = await openClient(url)
  await rival.query('begin; lock table team_memberships')
  return () => rival.end()
}

async function failureOf(call: Promise<unknown>): Promise<RostrumError> {
  const failure = await call.catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(RostrumError)
  return failure as RostrumError
}

test('calls without a database say so, and that nothing was changed', async () => {
  await proxy.closeWhile(async () => {
    const failures = await Promise.all(Array.from({ length: 100 }, (_, n) => failureOf(add(n + 1))))
    for (const { code, retryAfterSeconds } of failures)
      expect([code, retryAfterSeconds]).toEqual(['UNAVAILABLE', 1])
    const { message } = await failureOf(add(101))
    expect(message).toBe('The database gave no connection, and nothing was changed. Try again in 1 s.')
  })
})

test('calls on a silent connection say so, and the next ones use a new connection', async () => {
  await add(1)
  proxy.setWeather({ kind: 'silent' })
  const failures = await Promise.all(Array.from({ length: 30 }, (_, n) => failureOf(add(n + 2))))
  for (const { code, message } of failures) {
    expect(code).toBe('UNAVAILABLE')
    expect(message).toMatch(/may have been made or not|nothing was changed/)
  }
  const reads = await Promise.all(Array.from({ length: 30 }, () => failureOf(find())))
  for (const { code, message } of reads) {
    expect(code).toBe('UNAVAILABLE')
    expect(message).toContain('and nothing was changed. Try again in 1 s.')
  }
  proxy.setWeather({ kind: 'fair' })
  await expect.poll(() => store.ping().then(() => 'answers', String)).toBe('answers')
})

test('a server that falls silent at any moment of a start ends it in one line', async () => {
  // Each is in a message of a start whose answer does not come.
  const texts = ['application_name', 'pg_settings', 'show server_encoding', 'to_regclass', 'select hash']
  const starts = texts.map(async from => {
    const silent = await startProxy(Number(new URL(url).port))
    onTestFinished(silent.stop)
    silent.setWeather({ kind: 'silent', from })
    return openStore({ url: url.replace(/:\d+\//, `:${silent.port}/`) }).catch(String)
  })
  const line =
    'StartError: The database that DATABASE_URL names cannot be opened: it does not answer. ' +
    'Check the setting, and that PostgreSQL runs.'
  expect(await Promise.all(starts)).toEqual(texts.map(() => line))
})

test('a statement that waits too long is stopped and undone, and its place in the pool is free again', async () => {
  await add(1)
  const unlock = await lockMemberships()
  const failures = await Promise.all(Array.from({ length: 12 }, (_, n) => failureOf(add(n + 2))))
  expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['UNAVAILABLE']))
  expect(failures.map(({ message }) => message)).toContain(
    'The database took too long and was stopped, and nothing was changed. Try again in 1 s.',
  )
  await unlock()
  expect((await add(20)).kind).toBe('added')
})

test('a transaction that ends with its connection says that its outcome is unknown', async () => {
  const unlock = await lockMemberships()
  await askPostgres(url, `alter database ${new URL(url).pathname.slice(1)} set transaction_timeout = '200ms'`)
  const { code, message } = await failureOf(add(1))
  expect([code, message]).toEqual(['UNAVAILABLE', expect.stringContaining('may have been made or not')])
  await unlock()
  expect((await add(1)).kind).toBe('added')
})

test('an account with too many unanswered calls is refused at once, and no other account', async () => {
  await store.teams.save(by('b'), 1, { name: 'Red' })
  const unlock = await lockMemberships()
  for (let userId = 1; userId <= 2_000; userId += 1) add(userId).catch(() => {})
  const refusal = await failureOf(add(2_001))
  expect([refusal.code, refusal.retryAfterSeconds]).toEqual(['OVERLOADED', 1])
  expect(refusal.message).toBe(
    '2000 waiting database calls of this account are held already, about the maximum. Try again in 1 s.',
  )
  expect(await store.teams.findByIds('b', [1])).toEqual([{ id: 1, name: 'Red' }])
  await unlock()
  await expect.poll(() => add(3_000).then(({ kind }) => kind, String)).toBe('added')
})

const inTheWay = 'Other changes were in the way'
test.each([
  ['PostgreSQL ends for a deadlock each time', `raise exception using errcode = '40P01'`, inTheWay],
  ['is not made, though nothing is in its way', 'return null', inTheWay],
  [
    'PostgreSQL has no file descriptor for',
    `raise exception using errcode = '53000'`,
    'The database is short of resources',
  ],
  ['a disk fails', `raise exception using errcode = '58030'`, 'The database could not use its disk'],
])('a change that %s is reported as one to retry', async (_title, body, reason) => {
  await add(1)
  await askPostgres(
    url,
    `create function disturb() returns trigger language plpgsql as $$ begin ${body}; end $$;
    create trigger disturb before insert on team_memberships for each row execute function disturb()`,
  )
  const { code, message, retryAfterSeconds } = await failureOf(add(2))
  expect([code, retryAfterSeconds]).toEqual(['UNAVAILABLE', 1])
  expect(message).toBe(`${reason}, and nothing was changed. Try again in 1 s.`)
  expect(await store.events.newest('a')).toBe(1)
})
