import { setImmediate as nextTurn } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { createChangeTogether } from '../../../src/store/sqlite/connection/change-together.ts'
import { createTransactions } from '../../../src/store/sqlite/connection/transactions.ts'
import { makeTempFolder, type TempFolder } from '../../server/processes/temp-folder.ts'
import { caseCommit } from '../cases/case-commit.ts'
import { by } from '../databases/origin.ts'
import { explain } from '../databases/read-rows.ts'
import { stopClock } from './stop-clock.ts'

let folder: TempFolder
let statements: string[]
let store: Store
let path: string

beforeEach(async () => {
  folder = makeTempFolder()
  path = `${folder.path}/store.db`
  statements = []
  store = await openStore({ url: `sqlite:${path}`, onStatement: statement => statements.push(statement) })
  const type = { code: 'incident', indexedFields: ['a'], writtenFields: ['a'], revision: 0 }
  await store.cases.saveType(by('a'), type)
  for (let n = 0; n < 4; n += 1) await store.cases.commit(caseCommit({ revision: 1 }))
})
afterEach(async () => {
  await store.close()
  folder.remove()
})

const save = (id: number, version = 1) =>
  store.cases.commit(caseCommit({ revision: 1, read: { id, version, dataBytes: 2 }, data: `{"a":${id}}` }))

test('after a transaction that could not begin, the next changes are made', async () => {
  const client = new Database(path, { timeout: 10 })
  const other = new Database(path)
  const change = createChangeTogether<number, number>({
    transactions: createTransactions(client, () => {}),
    keyOf: given => given,
    measure: () => 1,
    changeAll: (_, given) => given.map(each => each * 10),
  })
  other.exec('begin immediate')
  await expect(Promise.all([change('a', 1), change('a', 2)])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  other.exec('rollback')
  expect(await Promise.all([change('a', 3), change('a', 4)])).toEqual([30, 40])
  client.close()
  other.close()
})

test('a statement for which the disk has no room fails its own change with the reason', async () => {
  const client = new Database(':memory:')
  client.exec('create table texts (text not null)')
  client.pragma('max_page_count = 10')
  const { write } = createTransactions(client, () => {})
  const insert = client.prepare('insert into texts select ? from json_each(?)')
  const add = (bytes: number) => write(() => insert.run('x'.repeat(bytes), '[1, 2]'))
  const [small, large] = await Promise.allSettled([add(1), add(100_000)])
  expect(small).toMatchObject({ status: 'fulfilled' })
  const message = 'The database kept nothing of this change: the disk is full.'
  expect(large).toMatchObject({ reason: { code: 'UNAVAILABLE', message } })
  expect(client.prepare('select text from texts').pluck().all()).toEqual(['x', 'x'])
  client.close()
})

test.each([
  { what: 'more than 64', changes: 65, bytes: 1, batches: [64, 1] },
  { what: 'more than 64 KiB', changes: 5, bytes: 30_000, batches: [2, 2, 1] },
  { what: 'one of more than that', changes: 2, bytes: 100_000, batches: [1, 1] },
])('of $what some are made after the others', async ({ changes, bytes, batches }) => {
  const client = new Database(':memory:')
  const made: number[] = []
  const change = createChangeTogether<number, number>({
    transactions: createTransactions(client, () => {}),
    keyOf: given => given,
    measure: () => bytes,
    changeAll(_, given) {
      made.push(given.length)
      return given
    },
  })
  const given = Array.from({ length: changes }, (_, index) => index)
  expect(await Promise.all(given.map(each => change('a', each)))).toEqual(given)
  expect(made).toEqual(batches)
  client.close()
})

test('a store that closes also makes those that could not be made together', async () => {
  const client = new Database(path)
  client.exec(`
    create trigger refuse before update on cases when new.id = 3
    begin select raise(abort, 'no third'); end`)
  client.close()
  const saves = Promise.allSettled([save(1), save(2, 9), save(3), save(4)])
  const first = store.cases.commit(caseCommit({ caseTypeCode: 'new' }))
  await store.close()
  const kinds = (await saves).map(each => (each.status === 'fulfilled' ? each.value.kind : each.reason.code))
  expect(kinds).toEqual(['committed', 'conflict', 'SQLITE_CONSTRAINT_TRIGGER', 'committed'])
  expect(await first).toMatchObject({ kind: 'committed', row: { id: 5 } })
})

test('saves of several turns share one commit, and what is about their account', async () => {
  stopClock()
  statements.length = 0
  const saves: Promise<unknown>[] = []
  for (let id = 1; id <= 4; id += 1) {
    saves.push(save(id))
    await nextTurn()
  }
  await Promise.all(saves)
  const count = (pattern: RegExp) => statements.filter(statement => pattern.test(statement)).length
  expect([count(/^COMMIT/), count(/insert into counters/), count(/from case_types/)]).toEqual([1, 1, 1])
})

test('indexed values are written by a look-up of their cases, however many the account has', async () => {
  const read = { id: 1, version: 1, dataBytes: 2 }
  const values = [{ field: 'a', value: '1' }]
  statements.length = 0
  await store.cases.commit(caseCommit({ revision: 1, read, data: '{"a":1}', values }))
  const ofCases = (await explainFirst(/insert into case_values/)).filter(detail => / cases /.test(detail))
  expect(ofCases).toEqual([expect.stringMatching(/\(account_code=\? AND id=\?\)$/)])
})

// Of more than eight listed rows, SQLite reads JSON, whose number of rows it does not know.
test('listed runs and versions are looked up, however many the account has', async () => {
  const numbers = Array.from({ length: 9 }, (_, index) => index + 1)
  statements.length = 0
  await store.runs.findByRunIds('a', numbers.map(String))
  await store.functions.findVersionsOf(
    'a',
    numbers.map(functionId => ({ functionId, hash: 'b' })),
  )
  const plans = [await explainFirst(/join "runs"/), await explainFirst(/join "function_versions"/)]
  expect(plans.map(plan => plan.filter(detail => /^SEARCH/.test(detail)))).toEqual([
    [expect.stringMatching(/\(account_code=\? AND run_id=\?\)$/)],
    [expect.stringMatching(/\(account_code=\? AND function_id=\? AND hash=\?\)$/)],
  ])
})

test('a search by several fields looks up the cases of its rarest values alone', async () => {
  const where = ['a', 'b'].map(field => ({ field, in: ['1', '2'] }))
  const page = { after: null, before: null, limit: 1, fromEnd: false }
  statements.length = 0
  await store.cases.page('a', { caseTypeCode: 'incident', where }, page)
  const searches = (await explainFirst(/from case_values as rare/)).filter(detail => /^SEARCH/.test(detail))
  const ofValues = '(account_code=? AND case_type_code=? AND field=? AND value=?'
  expect(searches.map(detail => detail.slice(detail.indexOf('(')))).toEqual([
    '(account_code=? AND id=?)',
    `${ofValues} AND case_id>? AND case_id<?)`,
    `${ofValues} AND case_id=?)`,
  ])
})

test('a search by few values of a field reads no more of each than a page', async () => {
  const where = [{ field: 'a', in: ['1', '2'] }]
  const page = { after: null, before: null, limit: 1, fromEnd: false }
  statements.length = 0
  await store.cases.page('a', { caseTypeCode: 'incident', where }, page)
  const searches = (await explainFirst(/from case_values/)).filter(detail =>
    /^SEARCH case_values /.test(detail),
  )
  const ofValue = '(account_code=? AND case_type_code=? AND field=? AND value=?'
  expect(searches.map(detail => detail.slice(detail.indexOf('(')))).toEqual([
    `${ofValue} AND case_id=?)`,
    `${ofValue} AND case_id>? AND case_id<?)`,
  ])
})

test('the values of a field are looked up to be deleted, however many other values the account has', async () => {
  const type = { code: 'dropped', revision: 1 }
  await store.cases.saveType(by('a'), { ...type, indexedFields: [], writtenFields: [], revision: 0 })
  statements.length = 0
  expect(await store.cases.dropValues('a', type, ['a'])).toBe(true)
  const searches = (await explainFirst(/delete from case_values/)).filter(detail => /^SEARCH/.test(detail))
  expect(searches).toEqual([
    expect.stringMatching(/\(rowid=\?\)$/),
    expect.stringMatching(/\(account_code=\? AND case_type_code=\? AND field=\?\)$/),
  ])
})

function explainFirst(pattern: RegExp): Promise<string[]> {
  return explain(`sqlite:${path}`, statements.find(each => pattern.test(each)) ?? '')
}
