import { expect, onTestFinished, test } from 'vitest'
import { StartError } from '../../../src/errors.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { askPostgres, openClient } from '../databases/ask-postgres.ts'
import { createOldDatabase, isMigrated } from './old-database.ts'

const advisoryLock = 7_248_330_115

/** A database that lacks a migration, and a transaction that uses the table which that migration changes. */
async function useOldDatabase() {
  const url = await createOldDatabase()
  const user = await openClient(url)
  onTestFinished(() => user.end())
  await user.query('begin')
  await user.query('lock table runs in row exclusive mode')
  return { url, user }
}

async function waitForLock(url: string): Promise<void> {
  const waiting = `select 1 from pg_locks join pg_database on pg_database.oid = database
    where datname = current_database() and not granted`
  await expect.poll(() => askPostgres(url, waiting), { interval: 20, timeout: 20_000 }).toHaveLength(1)
}

test('a start that waits for another program that uses a table says so', async () => {
  const { url, user } = await useOldDatabase()
  const waits = Promise.withResolvers<void>()
  const opening = openStore({ url, onWait: waits.resolve })
  await waits.promise
  await user.query('rollback')
  await (await opening).close()
})

test('if a migration and a gateway wait for each other, the start ends with one line', async () => {
  const { url, user } = await useOldDatabase()
  // The migration is the one that finds the deadlock, and PostgreSQL ends it.
  await askPostgres(url, `alter database "${new URL(url).pathname.slice(1)}" set deadlock_timeout = '4s'`)
  await user.query("set deadlock_timeout = '1min'")
  const opening = openStore({ url }).catch((error: unknown) => error)
  await waitForLock(url)
  await user.query('select pg_advisory_xact_lock($1)', [advisoryLock])
  const failure = await opening
  expect(failure).toBeInstanceOf(StartError)
  expect(String(failure)).toMatch(/is in use and cannot be migrated now\. Stop the gateways[^\n]*$/)
  await user.query('rollback')
  expect(await isMigrated(url)).toBe(false)
  await (await openStore({ url })).close()
  expect(await isMigrated(url)).toBe(true)
})
