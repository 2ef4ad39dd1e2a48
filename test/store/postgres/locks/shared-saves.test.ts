import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CaseCommit } from '../../../../src/domain/cases/case-store.ts'
import type { Store } from '../../../../src/domain/store.ts'
import { openStore } from '../../../../src/store/open-store.ts'
import { caseCommit } from '../../cases/case-commit.ts'
import { askPostgres } from '../../databases/ask-postgres.ts'
import { createDatabase } from '../../databases/create-database.ts'
import { by } from '../../databases/origin.ts'
import { holdLocks } from './hold-locks.ts'

// Saves that come together share a transaction. These tests are about what others have locked meanwhile.

const cases = 40
const ids = Array.from({ length: cases }, (_, index) => index + 1)
const type = { code: 'incident', indexedFields: ['a'], writtenFields: ['a', 'b'], revision: 0 }

let url: string
let store: Store
const statements: string[] = []
beforeEach(async () => {
  url = await createDatabase()
  store = await open()
  await store.cases.saveType(by('a'), type)
  for (const id of ids) {
    await store.cases.commit(caseCommit({ revision: 1, data: `{"a":${id}}`, values: valuesOf(id) }))
  }
  statements.length = 0
})

const opened: Store[] = []
const closeAll = () => Promise.all(opened.splice(0).map(each => each.close()))
afterEach(closeAll)

async function open(): Promise<Store> {
  const each = await openStore({ url, onStatement: statement => statements.push(statement) })
  opened.push(each)
  return each
}

const valuesOf = (id: number) => ['b', 'a'].map(field => ({ field, value: String(id) }))

function save(id: number, given: Partial<CaseCommit> = {}, at = store) {
  const read = { id, version: 1, dataBytes: 7 }
  return at.cases.commit(caseCommit({ read, revision: 1, data: `{"a":-${id}}`, ...given }))
}

async function countDeadlocks(): Promise<number> {
  const query = 'select deadlocks::int as count from pg_stat_database where datname = current_database()'
  const [row] = await askPostgres<{ count: number }>(url, query)
  return row?.count ?? 0
}

test('a locked case does not stop the saves of others, however many wait for it', async () => {
  const held = await holdLocks(url, 'select from cases where id = 3 for update')
  const ended: string[] = []
  const waiting = Array.from({ length: 8 }, () =>
    save(3).then(({ kind }) => {
      ended.push(kind)
    }),
  )
  const others = await Promise.all([1, 2, 4, 5, 6].map(id => save(id)))
  expect(others.map(({ kind }) => kind)).toEqual(others.map(() => 'committed'))
  await held.untilAwaited()
  expect(await save(7)).toMatchObject({ kind: 'committed' })
  expect(await save(8, { values: valuesOf(8) })).toMatchObject({ kind: 'committed' })
  expect(await save(0, { read: null, values: valuesOf(0) })).toMatchObject({ kind: 'committed' })
  expect(ended).toEqual([])
  await held.commit()
  await Promise.all(waiting)
  expect(ended.toSorted()).toEqual(['committed', ...Array.from({ length: 7 }, () => 'conflict')])
})

test('large changes that wait leave a connection to reads of the account', async () => {
  const held = await holdLocks(url, `select from counters where name = 'case event' for update`)
  const data = `{"a":"${'x'.repeat(40_000)}"}`
  const changes = ids.map(id => save(id, id % 2 === 0 ? { data } : { data, read: null }))
  await held.untilAwaited()
  expect((await store.cases.findWithType('a', 1))?.row.version).toBe(1)
  await held.commit()
  for (const { kind } of await Promise.all(changes)) expect(kind).toBe('committed')
})

test('a locked type does not stop the saves of others', async () => {
  await store.cases.saveType(by('a'), { ...type, code: 'other' })
  const added = await store.cases.commit(caseCommit({ caseTypeCode: 'other', revision: 1, data: '{"a":1}' }))
  expect(added).toMatchObject({ row: { id: cases + 1 } })
  const held = await holdLocks(url, `select from case_types where code = 'incident' for update`)
  const waiting = save(1)
  expect(await save(cases + 1, { caseTypeCode: 'other' })).toMatchObject({ kind: 'committed' })
  await held.untilAwaited()
  await held.commit()
  expect(await waiting).toMatchObject({ kind: 'committed' })
})

test('saves whose shared connection ends fail with an unknown outcome, and none is sent again', async () => {
  const held = await holdLocks(url, `select from counters where name = 'case event' for update`)
  const saves = Promise.allSettled([1, 2, 3].map(id => save(id)))
  await held.untilAwaited()
  await askPostgres(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'rostrum' and wait_event_type = 'Lock'`,
  )
  const message = expect.stringContaining('a change may have been made or not')
  for (const { status, ...result } of await saves) {
    expect([status, result]).toEqual([
      'rejected',
      { reason: expect.objectContaining({ code: 'UNAVAILABLE', message }) },
    ])
  }
  expect(statements.filter(text => /update cases/.test(text))).toHaveLength(1)
  await held.commit()
  expect((await store.cases.findByIds('a', [1, 2, 3])).map(({ version }) => version)).toEqual([1, 1, 1])
  expect(await save(1)).toMatchObject({ kind: 'committed' })
})

const incident = { code: 'incident', revision: 1 }
test.each<readonly [string, (at: Store) => Promise<unknown>, number]>([
  // Each field is dropped by itself.
  ['of a field that is dropped', at => at.cases.dropValues('a', incident, ['b', 'a']), 3],
  ['that saves replace', at => Promise.all([20, 2, 10].map(id => save(id, { values: valuesOf(id) }, at))), 6],
])('values %s are locked in the order of their cases and fields', async (_, change, all) => {
  // PostgreSQL reads rows in the order of the file then, in which the values of `b` come first.
  await askPostgres(
    url,
    `do $$ begin execute format('alter database %I set enable_indexscan = off', current_database()); end $$`,
  )
  const at = await open()
  const rows = 'select from case_values where case_id in (2, 10, 20) for update skip locked'
  const held = await holdLocks(url, `select from case_values where case_id = 2 and field = 'a' for update`)
  const changed = change(at)
  await held.untilAwaited()
  // All but the first are free, once a save that waited for nothing has ended.
  await expect.poll(() => askPostgres(url, rows)).toHaveLength(all - 1)
  await held.commit()
  await changed
})

test('saves of two gateways in opposite orders, and changes of the type, do not deadlock', async () => {
  const other = await open()
  const opposite = ids.toReversed()
  const rows = (order: readonly number[]) => order.map(id => ({ id, version: 1, values: valuesOf(id) }))
  for (let version = 1; version <= 8; version += 1) {
    const given = (id: number) => ({
      read: { id, version, dataBytes: 7 },
      data: `{"a":${version}}`,
      values: version % 2 === 0 ? valuesOf(id) : null,
    })
    const saves = [...ids.map(id => save(id, given(id))), ...opposite.map(id => save(id, given(id), other))]
    const changes = [
      other.cases.addValues('a', incident, rows(opposite)),
      store.cases.addValues('a', incident, rows(ids)),
      other.cases.dropValues('a', incident, ['a', 'b']),
    ]
    const kinds = (await Promise.all(saves)).map(({ kind }) => kind)
    expect(kinds.filter(kind => kind === 'committed')).toHaveLength(cases)
    expect(await Promise.all(changes)).toEqual([true, true, true])
  }
  // A session reports its deadlocks when it ends at the latest.
  await closeAll()
  expect(await countDeadlocks()).toBe(0)
})
