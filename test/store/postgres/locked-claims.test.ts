import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../src/store/open-store.ts'
import { until } from '../../server/until.ts'
import { openClient } from '../ask-postgres.ts'
import { createDatabase } from '../create-database.ts'
import { by } from '../origin.ts'
import { queuedRun } from '../queued-run.ts'

const request = () => ({ holder: randomUUID(), leaseMs: 15_000, maxRuns: 4, retryAfterMs: () => 0 })

// As a save does until its commit.
const lockAccount = `begin; select from queue_accounts where account_code = 'a' for update`
const countWaiting = `select count(*)::int as count from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`

test('a claim leaves a locked account out while another one is due, and waits for it otherwise', async () => {
  const url = await createDatabase()
  const store = await openStore({ url })
  onTestFinished(() => store.close())
  const rival = await openClient(url)
  onTestFinished(() => rival.end())
  await store.queue.enqueue(by('a'), [queuedRun()])
  await store.queue.enqueue(by('b'), [queuedRun()])
  await rival.query(lockAccount)
  const accountsOf = async () =>
    (await store.queue.claim(request())).runs.map(({ accountCode }) => accountCode)
  expect(await accountsOf()).toEqual(['b'])

  await rival.query('commit')
  await rival.query(lockAccount)
  const claimed = accountsOf()
  const observer = await openClient(url)
  onTestFinished(() => observer.end())
  await until(async () => (await observer.query(countWaiting)).rows[0].count > 0)
  await rival.query('commit')
  expect(await claimed).toEqual(['a'])
})
