import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../src/store/open-store.ts'
import { caseCommit } from '../../cases/case-commit.ts'
import { askPostgres } from '../../databases/ask-postgres.ts'
import { createDatabase } from '../../databases/create-database.ts'
import { by } from '../../databases/origin.ts'

/** Makes each statement that writes rows of case 1 in this table take 2.4 s longer. */
const slowly = (table: string, event: string, id: string) => `
  create function wait_for_${table}() returns trigger language plpgsql as
    'begin if exists (select from changed where ${id} = 1) then perform pg_sleep(2.4); end if; return null; end';
  create trigger slow after ${event} on ${table} referencing new table as changed
    for each statement execute function wait_for_${table}()`

test('saves that wait too long for those before them are refused and never made', async () => {
  const url = await createDatabase()
  const store = await openStore({ url })
  onTestFinished(() => store.close())
  await store.cases.saveType(by('a'), {
    code: 'incident',
    indexedFields: ['a'],
    writtenFields: ['a'],
    revision: 0,
  })
  const values = [{ field: 'a', value: '1' }]
  for (let id = 1; id <= 3; id += 1) await store.cases.commit(caseCommit({ revision: 1, values }))
  const save = (id: number) =>
    store.cases.commit(caseCommit({ read: { id, version: 1, dataBytes: 2 }, revision: 1, values }))

  // Two statements of the first save take long, one after the other, each less than PostgreSQL allows.
  await askPostgres(url, slowly('cases', 'update', 'id'))
  await askPostgres(url, slowly('case_values', 'insert', 'case_id'))
  const first = save(1).then(
    ({ kind }) => kind,
    ({ message }) => message,
  )
  await sleep(200)
  const late = Promise.allSettled([save(2), save(3)])
  const message = 'Other changes of this account took too long, and nothing was changed. Try again in 1 s.'
  for (const result of await late) {
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE', message } })
  }
  expect(['committed', expect.stringContaining('may have been made or not')]).toContainEqual(await first)
  expect(await save(2)).toMatchObject({ kind: 'committed', row: { version: 2 } })
  await expect.poll(async () => (await store.cases.findByIds('a', [1]))[0]?.version).toBe(2)
  expect((await store.cases.findByIds('a', [3]))[0]?.version).toBe(1)
})
