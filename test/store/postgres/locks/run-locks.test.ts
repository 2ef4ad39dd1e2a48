import { expect, test } from 'vitest'
import { openStore } from '../../../../src/store/open-store.ts'
import { askPostgres } from '../../databases/ask-postgres.ts'
import { createDatabase } from '../../databases/create-database.ts'
import { keptRun } from '../../runs/kept-run.ts'

test('runs end and are swept at the same time without a deadlock', async () => {
  const url = await createDatabase()
  const stores = [await openStore({ url }), await openStore({ url })] as const
  const [one, other] = stores
  for (let round = 0; round < 10; round += 1) {
    const running = keptRun({ startedAt: 1, state: 'running', outcome: null })
    await one.runs.write('a', 'one', { inserts: [running], ends: [] })
    await Promise.all([
      one.runs.write('a', 'one', { inserts: [keptRun()], ends: [keptRun({ runId: running.runId })] }),
      other.runs.deleteExpired({ startedBefore: 2, maxRuns: 1_000, maxBytes: 2 ** 30 }, 10),
    ])
  }
  // A connection that ends tells what it counted.
  for (const store of stores) await store.close()
  const read = 'select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()'
  expect(await askPostgres(url, read)).toEqual([{ deadlocks: 0 }])
})
