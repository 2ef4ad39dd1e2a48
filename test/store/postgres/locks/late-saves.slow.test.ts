import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../src/store/open-store.ts'
import { caseCommit } from '../../cases/case-commit.ts'
import { createDatabase } from '../../databases/create-database.ts'
import { holdLocks } from './hold-locks.ts'

test('saves that wait too long for those before them are refused and never made', async () => {
  const url = await createDatabase()
  const store = await openStore({ url })
  onTestFinished(() => store.close())
  await store.cases.saveType('a', {
    code: 'incident',
    indexedFields: ['a'],
    writtenFields: ['a'],
    revision: 0,
  })
  const values = [{ field: 'a', value: '1' }]
  for (let id = 1; id <= 3; id += 1) await store.cases.commit(caseCommit({ revision: 1, values }))
  const save = (id: number) =>
    store.cases.commit(caseCommit({ read: { id, version: 1, dataBytes: 2 }, revision: 1, values }))

  // Two statements of the first save wait one after the other, each for less than PostgreSQL allows.
  const counters = await holdLocks(url, `select from counters where name = 'case event' for update`)
  const rows = await holdLocks(url, 'select from case_values where case_id = 1 for update')
  const first = save(1).then(
    ({ kind }) => kind,
    ({ message }) => message,
  )
  await counters.untilAwaited()
  const late = Promise.allSettled([save(2), save(3)])
  await sleep(2_500)
  await counters.commit()
  const message = 'Other changes of this account took too long, and nothing was changed. Try again in 1 s.'
  for (const result of await late) {
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE', message } })
  }
  await rows.commit()
  expect(['committed', expect.stringContaining('may have been made or not')]).toContainEqual(await first)
  expect(await save(2)).toMatchObject({ kind: 'committed', row: { version: 2 } })
  await expect.poll(async () => (await store.cases.findByIds('a', [1]))[0]?.version).toBe(2)
  expect((await store.cases.findByIds('a', [3]))[0]?.version).toBe(1)
})
