import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../src/store/open-store.ts'
import { createDatabase } from '../../databases/create-database.ts'
import { by } from '../../databases/origin.ts'
import { queuedRun } from '../../runs/queued-run.ts'
import { holdLocks } from './hold-locks.ts'

const request = () => ({ holder: randomUUID(), leaseMs: 15_000, maxRuns: 4, retryAfterMs: () => 0 })

// As a save does until its commit.
const lockAccount = `select from queue_accounts where account_code = 'a' for update`

test('a claim leaves a locked account out while another one is due, and waits for it otherwise', async () => {
  const url = await createDatabase()
  const store = await openStore({ url })
  onTestFinished(() => store.close())
  await store.queue.enqueue(by('a'), [queuedRun()])
  await store.queue.enqueue(by('b'), [queuedRun()])
  const accountsOf = async () =>
    (await store.queue.claim(request())).runs.map(({ accountCode }) => accountCode)
  const first = await holdLocks(url, lockAccount)
  expect(await accountsOf()).toEqual(['b'])
  await first.commit()

  const second = await holdLocks(url, lockAccount)
  const claimed = accountsOf()
  await second.untilAwaited()
  await second.commit()
  expect(await claimed).toEqual(['a'])
})
