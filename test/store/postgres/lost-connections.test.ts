import { expect, test } from 'vitest'
import { openStore } from '../../../src/store/open-store.ts'
import { askPostgres } from '../databases/ask-postgres.ts'
import { createDatabase } from '../databases/create-database.ts'
import { by } from '../databases/origin.ts'

const terminateAll = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'rostrum'`

test('a store whose connections all ended closes, also during calls', async () => {
  for (const isBusy of [false, true]) {
    const url = await createDatabase()
    const store = await openStore({ url })
    const heard: unknown[] = []
    store.events.onChange(accountCode => heard.push(accountCode))
    const saves = () =>
      Promise.allSettled(Array.from({ length: 20 }, (_, id) => store.teams.save(by(`a${id}`), 1, {})))
    await saves()
    await expect.poll(() => heard).toEqual([null])
    const calls = isBusy ? saves() : null
    expect((await askPostgres(url, terminateAll)).length).toBeGreaterThan(5)
    await store.close()
    await calls
  }
})
