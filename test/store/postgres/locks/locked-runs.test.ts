import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../src/store/open-store.ts'
import { askPostgres } from '../../databases/ask-postgres.ts'
import { createDatabase } from '../../databases/create-database.ts'
import { keptRun } from '../../runs/kept-run.ts'
import { holdLocks } from './hold-locks.ts'

const endRun = `
  update runs set state = 'ended';
  insert into run_outputs (account_code, id, payload) values ('a', 1, '{}')`

test('a run that ends while it is deleted for its age leaves no values', async () => {
  const url = await createDatabase()
  const store = await openStore({ url })
  onTestFinished(() => store.close())
  const run = keptRun({ state: 'running', texts: {} })
  await store.runs.write('a', 'one', { inserts: [run], ends: [] })
  const held = await holdLocks(url, endRun)
  const deletion = store.runs.deleteExpired({ startedBefore: 0, maxRuns: 0, maxBytes: 0 }, 10)
  await held.untilAwaited()
  await held.commit()
  expect(await deletion).toBe(1)
  expect(await askPostgres(url, 'select id from runs union all select id from run_outputs')).toEqual([])
})
