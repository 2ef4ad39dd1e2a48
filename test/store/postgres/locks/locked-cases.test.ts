import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../../../src/domain/store.ts'
import { openStore } from '../../../../src/store/open-store.ts'
import { caseCommit } from '../../cases/case-commit.ts'
import { createDatabase } from '../../databases/create-database.ts'
import { by } from '../../databases/origin.ts'
import { holdLocks } from './hold-locks.ts'

let url: string
let store: Store
beforeEach(async () => {
  url = await createDatabase()
  store = await openStore({ url })
  onTestFinished(() => store.close())
})

const type = { code: 'incident', indexedFields: ['a'], writtenFields: ['a'], revision: 0 }
const readAs = { read: { id: 1, version: 1, dataBytes: 7 }, revision: 1 }
const saveCase = 'update cases set version = 2, data = \'{"a":2}\';'
const saveValue = `
  delete from case_values;
  insert into case_values (account_code, case_type_code, field, value, case_id)
    values ('a', 'incident', 'a', '2', 1);`

const findWith = async (value: string) => {
  const where = [{ field: 'a', in: [value] }]
  const page = { after: null, before: null, limit: 10, fromEnd: false }
  return (await store.cases.page('a', { caseTypeCode: 'incident', where }, page)).length
}

test.each([
  ['a case', saveCase],
  ['a case with an indexed field', saveCase + saveValue],
])('a delete of %s that waits for a save of it deletes nothing', async (_, save) => {
  await store.cases.saveType(by('a'), type)
  await store.cases.commit(caseCommit({ revision: 1, values: [{ field: 'a', value: '1' }] }))
  const held = await holdLocks(url, save)
  const deletion = store.cases.commit(caseCommit({ ...readAs, data: null }))
  await held.untilAwaited()
  await held.commit()
  expect(await deletion).toEqual({ kind: 'conflict' })
  expect((await store.cases.findByIds('a', [1])).map(({ version }) => version)).toEqual([2])
  expect(await store.cases.events.newest('a')).toBe(1)
})

test.each([
  ['a save', saveCase + saveValue, ['2']],
  ['a delete', 'delete from case_values; delete from cases;', []],
])('values that are written for a new field wait for %s of the case', async (_, change, found) => {
  await store.cases.saveType(by('a'), type)
  await store.cases.commit(caseCommit({ revision: 1 }))
  const held = await holdLocks(url, change)
  const values = [{ field: 'a', value: '1' }]
  let isWritten = false
  const written = store.cases
    .addValues('a', { code: 'incident', revision: 1 }, [{ id: 1, version: 1, values }])
    .finally(() => {
      isWritten = true
    })
  await Promise.race([held.untilAwaited(), written])
  expect(isWritten).toBe(false)
  await held.commit()
  expect(await written).toBe(true)
  const listed = await Promise.all(
    ['1', '2'].map(async value => ((await findWith(value)) > 0 ? [value] : [])),
  )
  expect(listed.flat()).toEqual(found)
})
