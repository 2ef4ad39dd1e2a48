import { beforeEach, expect, test } from 'vitest'
import type { CaseCommit } from '../../../src/domain/cases/case-store.ts'
import type { Origin, Page } from '../../../src/domain/port.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { readRows } from '../databases/read-rows.ts'
import { keepsAll, sweep } from '../runs/sweep.ts'
import { caseCommit } from './case-commit.ts'

const page: Page = { after: null, before: null, limit: 10, fromEnd: false }

eachStore(harness => {
  let url: string
  let store: Store
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url })
  })

  const commit = (given: Partial<CaseCommit>, at = store) => at.cases.commit(caseCommit(given))

  async function create(data = '{"a":1}', origin: Origin = by('a')) {
    const done = await commit({ data, origin })
    if (done.kind !== 'committed') throw new Error('The case was not created.')
    return done.row
  }

  test('a created case has an id of its account, version 1 and its times', async () => {
    const first = await create()
    const second = await create()
    const other = await create('{}', by('b'))
    expect([first.id, second.id, other.id]).toEqual([1, 2, 1])
    expect(first).toMatchObject({ caseTypeCode: 'incident', version: 1, dataBytes: 7 })
    expect(first.createdAt).toBeInstanceOf(Date)
    expect(first.updatedAt).toEqual(first.createdAt)
    expect(await store.cases.findByIds('a', [2, 1, 9])).toHaveLength(2)
    expect(await store.cases.findByIds('c', [1])).toEqual([])
  })

  test('data come back with the same bytes, NUL, lone surrogates and the order of keys included', async () => {
    const data = '{"z":"\\u0000","a":"\\ud800 \\\\ \\"","n":1.5,"é":"👩‍👩‍👧‍👦"}'
    const { id } = await create(data)
    const [row] = await store.cases.findByIds('a', [id])
    expect(row?.data?.text).toBe(data)
  })

  test('a save commits only at the version and the revision of the type that it read', async () => {
    const row = await create()
    const saved = await commit({ read: row, data: '{"a":2}' })
    expect(saved).toMatchObject({ kind: 'committed', row: { id: row.id, version: 2 } })
    expect(await commit({ read: row, data: '{"a":3}' })).toEqual({ kind: 'conflict' })
    expect(await commit({ read: row, data: null })).toEqual({ kind: 'conflict' })
    expect(await commit({ read: { ...row, version: 2 }, revision: 1 })).toEqual({ kind: 'conflict' })
    expect(await commit({ revision: 1 })).toEqual({ kind: 'conflict' })
    expect((await store.cases.findByIds('a', [row.id]))[0]?.data?.text).toBe('{"a":2}')
    expect(await store.cases.events.newest('a')).toBe(2)
  })

  test('of ten saves of one version at once, one is committed', async () => {
    const row = await create()
    const stores = harness.engine === 'SQLite' ? [store] : [store, await harness.open({ url })]
    const saves = Array.from({ length: 10 }, (_, index) =>
      commit({ read: row, data: `{"a":${index}}` }, stores[index % stores.length]),
    )
    const kinds = (await Promise.all(saves)).map(({ kind }) => kind)
    expect(kinds.filter(kind => kind === 'committed')).toHaveLength(1)
  })

  test('every change is an event in order, with what changed and by whom', async () => {
    const row = await create()
    await commit({ read: row, data: '{"a":2}', changedFields: '{"a":[2,1]}', functionName: 'f' })
    await commit({ read: { ...row, version: 2 }, data: null, changedFields: '{"a":[null,2]}' })
    const events = await store.cases.events.listAfter('a', 0, 10)
    expect(
      events.map(({ sequence, kind, version, changedFields }) => [
        sequence,
        kind,
        version,
        changedFields?.text,
      ]),
    ).toEqual([
      [1, 'created', 1, '{}'],
      [2, 'saved', 2, '{"a":[2,1]}'],
      [3, 'deleted', 2, '{"a":[null,2]}'],
    ])
    expect(events[1]).toMatchObject({
      caseId: row.id,
      functionName: 'f',
      userId: 1,
      email: 'ann@example.com',
    })
    const other = await create()
    const pages = await store.cases.events.pageByCases('a', [row.id, other.id], { ...page, limit: 2 })
    expect(pages.map(({ sequence }) => sequence)).toEqual([1, 2, 4])
    expect(await store.cases.events.listAfter('b', 0, 10)).toEqual([])
  })

  test('long changed fields are loaded apart', async () => {
    const row = await create()
    const changedFields = JSON.stringify({ a: ['x'.repeat(5_000), null] })
    await commit({ read: row, changedFields })
    const [, event] = await store.cases.events.listAfter('a', 0, 10)
    expect(event).toMatchObject({ changedFields: null, changedBytes: changedFields.length })
    const [found] = await store.cases.events.findChangedFields('a', [2])
    expect(found).toMatchObject({ sequence: 2, changedFields: { text: changedFields } })
  })

  test('a lease of another holder keeps a save from committing, until it ends', async () => {
    const row = await create()
    expect(await store.cases.lease('a', row.id, { holder: 'other', ms: 60_000 })).toBe(true)
    expect(await store.cases.lease('a', row.id, { holder: 'me', ms: 60_000 })).toBe(false)
    expect(await commit({ read: row })).toEqual({ kind: 'conflict' })
    expect(await commit({ read: row, leaseHolder: 'other' })).toMatchObject({ kind: 'committed' })
    await store.cases.release('a', row.id, 'me')
    expect(await store.cases.lease('a', row.id, { holder: 'me', ms: 1 })).toBe(false)
    await store.cases.release('a', row.id, 'other')
    expect(await store.cases.lease('a', row.id, { holder: 'me', ms: -1_000 })).toBe(true)
    expect(await store.cases.lease('a', row.id, { holder: 'third', ms: 60_000 })).toBe(true)
  })

  test('a sweep deletes the leases that dead gateways left, and no others', async () => {
    await store.cases.lease('a', 1, { holder: 'dead', ms: -1_000 })
    await store.cases.lease('b', 2, { holder: 'alive', ms: 60_000 })
    await store.cases.lease('a', 3, { holder: 'dead before the clock was set back', ms: 86_400_000 })
    await sweep(store, keepsAll)
    expect(await readRows(url, 'select holder from case_leases')).toEqual([{ holder: 'alive' }])
  })

  test('a look-up finds the values that the saves have written', async () => {
    const type = { code: 'incident', indexedFields: ['a', 'b'], writtenFields: ['a', 'b'], revision: 0 }
    expect(await store.cases.saveType(by('a'), type)).toMatchObject({ revision: 1 })
    expect(await store.cases.saveType(by('a'), type)).toBe(null)
    const values = (a: string, b: string) => [
      { field: 'a', value: a },
      { field: 'b', value: b },
    ]
    const rows = []
    for (const [a, b] of [
      ['1', '1'],
      ['1', '2'],
      ['2', '"\\u0000{}"'],
    ] as const) {
      const done = await commit({ revision: 1, values: values(a, b) })
      if (done.kind === 'committed') rows.push(done.row)
    }
    const find = async (where: { field: string; in: string[] }[], from = page) =>
      (await store.cases.page('a', { caseTypeCode: 'incident', where }, from)).map(({ id }) => id)
    expect(await find([{ field: 'a', in: ['1', '3'] }])).toEqual([1, 2])
    expect(await find([{ field: 'b', in: ['"\\u0000{}"'] }])).toEqual([3])
    for (const more of [0, 30]) {
      const others = Array.from({ length: more }, (_, index) => String(index + 10))
      const where = [{ field: 'a', in: ['2', '1', '1', ...others] }]
      expect(await find(where, { ...page, limit: 3 })).toEqual([1, 2, 3])
      expect(await find(where, { ...page, after: 1, limit: 1 })).toEqual([2])
      expect(await find(where, { ...page, before: 3, limit: 1, fromEnd: true })).toEqual([2])
    }
    expect(
      await find([
        { field: 'a', in: ['1'] },
        { field: 'b', in: ['2'] },
      ]),
    ).toEqual([2])
    expect(await find([], { ...page, after: 1, limit: 1 })).toEqual([2])
    expect(await find([], { ...page, limit: 2, fromEnd: true })).toEqual([2, 3])
    expect(await find([{ field: 'a', in: [] }])).toEqual([])
    const [first] = rows
    if (first === undefined) throw new Error('No case was created.')
    await commit({ revision: 1, read: first, values: values('9', '9') })
    expect(await find([{ field: 'a', in: ['1', '9'] }])).toEqual([1, 2])
    expect(await find([{ field: 'b', in: ['1'] }])).toEqual([])
    await commit({ revision: 1, read: { ...first, version: 2 }, data: null })
    expect(await find([{ field: 'a', in: ['9'] }])).toEqual([])
    const now = { code: 'incident', revision: 1 }
    expect(await store.cases.dropValues('a', { ...now, revision: 2 }, ['a'])).toBe(false)
    expect(await find([{ field: 'a', in: ['2'] }])).toEqual([3])
    expect(await store.cases.dropValues('a', now, ['a'])).toBe(true)
    expect(await find([{ field: 'a', in: ['1', '2'] }])).toEqual([])
    expect(await find([{ field: 'b', in: ['2'] }])).toEqual([2])
    const added = [{ id: 3, version: 1, values: [{ field: 'a', value: '2' }] }]
    expect(await store.cases.addValues('a', { ...now, revision: 2 }, added)).toBe(false)
    expect(await find([{ field: 'a', in: ['2'] }])).toEqual([])
    expect(await store.cases.addValues('a', now, added)).toBe(true)
    expect(await find([{ field: 'a', in: ['2'] }])).toEqual([3])
  })

  test('case types are in the order of the bytes of their codes', async () => {
    const codes = ['B', 'a', 'a-b', 'a.c', 'a_d', 'ab', 'b']
    for (const code of codes.toReversed()) {
      await store.cases.saveType(by('a'), { code, indexedFields: [], writtenFields: [], revision: 0 })
    }
    expect((await store.cases.listTypes('a')).map(({ code }) => code)).toEqual(codes)
  })

  test('the values of a field are deleted in steps', async () => {
    const type = { code: 'incident', revision: 1 }
    await store.cases.saveType(by('a'), { ...type, indexedFields: ['a'], writtenFields: ['a'], revision: 0 })
    const values = Array.from({ length: 2_500 }, (_, index) => ({ field: 'a', value: String(index) }))
    await commit({ revision: 1, values: [...values, { field: 'b', value: '1' }] })
    const statements: string[] = []
    const watched = await harness.open({ url, onStatement: text => statements.push(text) })
    expect(await watched.cases.dropValues('a', type, ['a'])).toBe(true)
    expect(statements.filter(text => /delete from case_values/.test(text))).toHaveLength(4)
    expect(await readRows(url, 'select field from case_values')).toEqual([{ field: 'b' }])
  })

  test('a case is read as the last save has left it, whatever an earlier step answers again', async () => {
    const origin = { ...by('a'), step: { key: 'again', number: 1 } }
    const row = await create()
    const second = await commit({ origin, read: row, data: '{"a":2}' })
    const third = await commit({ read: { ...row, version: 2 }, data: '{"a":3}' })
    expect([second, third]).toMatchObject([{ row: { version: 2 } }, { row: { version: 3 } }])
    expect(await commit({ origin, read: row, data: '{"a":2}' })).toMatchObject({ row: { version: 2 } })
    const [found] = await store.cases.findByIds('a', [row.id])
    expect([found?.version, found?.data?.text]).toEqual([3, '{"a":3}'])
    await commit({ read: { ...row, version: 3 }, data: null })
    expect(await store.cases.findByIds('a', [row.id])).toEqual([])
  })

  test('a long case and a conflict leave the case as it is stored', async () => {
    const long = JSON.stringify({ a: 'x'.repeat(3_000) })
    const row = await create()
    await commit({ read: row, data: long })
    const read = async () => (await store.cases.findByIds('a', [row.id]))[0]?.data?.text
    expect(await read()).toBe(long)
    expect(await commit({ read: row, data: '{"a":9}' })).toEqual({ kind: 'conflict' })
    expect(await read()).toBe(long)
  })

  test('a step of a request with a key is made once, and gives its first result again', async () => {
    const origin = { ...by('a'), step: { key: 'k', number: 1 } }
    expect(await store.cases.findCommitted(origin)).toBe(null)
    const first = await commit({ origin, data: '{"a":1}', changedFields: '{"a":[1,null]}' })
    const again = await commit({ origin, data: '{"a":2}' })
    expect(again).toEqual(first)
    expect(await store.cases.findCommitted(origin)).toEqual(first)
    expect(await store.cases.events.newest('a')).toBe(1)
  })

  test('one statement reads at most 4 MiB of data, and says which it left out', async () => {
    const data = JSON.stringify({ a: 'x'.repeat(2 ** 20 - 10) })
    for (let count = 0; count < 6; count++) await create(data)
    const rows = await store.cases.page('a', { caseTypeCode: null, where: [] }, page)
    expect(rows.map(row => row.data !== null)).toEqual([true, true, true, true, true, false])
  })
})
