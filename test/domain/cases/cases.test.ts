import { beforeEach, expect, test } from 'vitest'
import { writePatch } from '../../../src/domain/case-data/write-patch.ts'
import { type Cases, createCases, type SaveRequest } from '../../../src/domain/cases/cases.ts'
import { createDeferredRuns } from '../../../src/domain/runs/deferred-runs.ts'
import { firstGeneration, type Run } from '../../../src/domain/scripts/run.ts'
import type { Asking } from '../../../src/domain/scripts/script.ts'
import type { Store } from '../../../src/domain/store.ts'
import { LongWork } from '../../../src/fairness/long-work.ts'
import { Places } from '../../../src/fairness/places.ts'
import type { JsonObject } from '../../../src/json/read-json.ts'
import { callerOf, silentBoundLog } from '../../scripts/run/start-tasks.ts'
import { eachStore } from '../../store/databases/each-store.ts'
import { by } from '../../store/databases/origin.ts'

function askingWith(signal: AbortSignal): Asking {
  return { caller: callerOf('a'), parentRun: null, signal, log: silentBoundLog, onRun: () => undefined }
}

const workWith = (signal: AbortSignal) =>
  new LongWork({
    places: new Places({ each: 1 }),
    accountCode: 'a',
    nextTurn: async () => {},
    readSignal: () => signal,
  })

const request = (given: Partial<SaveRequest>): SaveRequest => ({
  origin: by('a'),
  id: null,
  ifVersions: null,
  dryRun: false,
  functionName: null,
  asking: askingWith(new AbortController().signal),
  work: workWith(new AbortController().signal),
  deadline: performance.now() + 10_000,
  caseTypeCode: null,
  data: {},
  isMerge: false,
  ...given,
})

// No hook runs here.
const deferRuns = () => createDeferredRuns({ begin: () => expect.unreachable(), gateway: 'g' })
const scripts = { run: () => Promise.reject(new Error('There is no hook.')) }
const waitForTurn = () => Promise.resolve()
const casesOf = (store: Store) => createCases({ store, scripts, deferRuns, waitForTurn })

eachStore(harness => {
  let url: string
  let store: Store
  let cases: Cases
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url })
    cases = casesOf(store)
  })

  async function create(data: JsonObject = { a: 1 }, code = 'incident'): Promise<number> {
    const { row } = await cases.save(request({ caseTypeCode: code, data }))
    if (row === null) throw new Error('No case was created.')
    return row.id
  }

  const saveType = (indexedFields: readonly string[], signal = new AbortController().signal) =>
    cases.saveType(by('a'), { code: 'incident', indexedFields, signal })

  async function readData(id: number): Promise<unknown> {
    const [row] = await cases.list('a', [id])
    return row && JSON.parse(row.data?.text ?? '')
  }

  test('20 merges of one case at once all arrive', async () => {
    const id = await create()
    const merges = Array.from({ length: 20 }, (_, index) =>
      cases.save(request({ id, data: { [`f${index}`]: index }, isMerge: true })),
    )
    const versions = (await Promise.all(merges)).map(({ row }) => row?.version)
    expect(versions.toSorted((a = 0, b = 0) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 2),
    )
    expect(Object.keys((await readData(id)) as object)).toHaveLength(21)
  })

  test('20 merges at two gateways all arrive', async () => {
    if (harness.engine === 'SQLite') return
    const id = await create()
    const gateways = [cases, casesOf(await harness.open({ url }))] as const
    const merges = Array.from({ length: 20 }, (_, index) =>
      (gateways[index % 2] ?? cases).save(request({ id, data: { [`f${index}`]: index }, isMerge: true })),
    )
    await Promise.all(merges)
    expect(Object.keys((await readData(id)) as object)).toHaveLength(21)
  })

  test('data equal but for the order of keys change nothing', async () => {
    const id = await create({ a: { x: 1, y: [1, { z: null }] } })
    const again = await cases.save(request({ id, data: { a: { y: [1, { z: null }], x: 1 } } }))
    expect(again).toMatchObject({ isSaved: false, changed: [], row: { version: 1 } })
    expect(await store.cases.events.newest('a')).toBe(1)
  })

  test('a version that is not met is refused before and after a turn', async () => {
    const id = await create()
    await expect(cases.save(request({ id, ifVersions: [7] }))).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      facts: { version: 1 },
    })
    const saves = [1, 2, 3].map(value => cases.save(request({ id, ifVersions: [1], data: { value } })))
    const results = await Promise.allSettled(saves)
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
  })

  test('a merge patch replaces, adds and removes, at any depth', async () => {
    const id = await create({ a: { b: 1, c: 2 }, d: [1], e: 'x' })
    const { changed } = await cases.save(
      request({ id, isMerge: true, data: { a: { b: null, n: { m: null, o: 1 } }, d: { q: 1 }, e: null } }),
    )
    expect(await readData(id)).toEqual({ a: { c: 2, n: { o: 1 } }, d: { q: 1 } })
    expect(changed.map(({ field }) => field)).toEqual(['a', 'd', 'e'])
  })

  test('a dry run compares and stores nothing', async () => {
    const id = await create()
    const { isSaved, row, changed } = await cases.save(request({ id, data: { a: 2 }, dryRun: true }))
    expect([isSaved, row?.version, JSON.parse(writePatch(changed, '{}'))]).toEqual([
      false,
      1,
      [{ op: 'replace', path: '/a', value: 2 }],
    ])
    expect(await readData(id)).toEqual({ a: 1 })
    const created = await cases.save(request({ caseTypeCode: 'incident', dryRun: true }))
    expect(created.row).toBe(null)
    const removed = await cases.remove({ ...request({ dryRun: true }), id })
    expect(removed.row?.id).toBe(id)
    expect(await store.cases.events.newest('a')).toBe(1)
  })

  test('a stored case with more than 10,000 fields can be read, made smaller and deleted', async () => {
    const fields = Object.fromEntries(Array.from({ length: 10_002 }, (_, index) => [`f${index}`, index]))
    const old = {
      origin: by('a'),
      caseTypeCode: 'old',
      read: null,
      revision: 0,
      values: null,
      previousData: null,
    }
    const written = { changedFields: '{}', functionName: null, runs: null, runIds: [], after: null }
    const done = await store.cases.commit({
      ...old,
      ...written,
      data: JSON.stringify(fields),
      leaseHolder: '',
    })
    if (done.kind !== 'committed') expect.unreachable()
    const { id } = done.row
    expect(await readData(id)).toEqual(fields)
    const remove = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, null]))
    const merge = (data: JsonObject) => cases.save(request({ id, data, isMerge: true }))
    await expect(merge(remove(1))).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
    expect((await merge(remove(2))).isSaved).toBe(true)
    expect((await cases.remove({ ...request({}), id })).row?.id).toBe(id)
  })

  test('a save whose client has gone stores nothing', async () => {
    const id = await create()
    const asking = askingWith(AbortSignal.abort(new Error('gone')))
    await expect(cases.save(request({ id, data: { a: 2 }, asking }))).rejects.toThrow('gone')
    expect(await readData(id)).toEqual({ a: 1 })
  })

  test('a save whose client leaves while another gateway holds the lease ends with the reason', async () => {
    const id = await create()
    await store.cases.lease('a', id, { holder: 'another gateway', ms: 60_000 })
    const client = new AbortController()
    const gone = new Error('gone')
    const lease: Store['cases']['lease'] = async (...given) => {
      const isTaken = await store.cases.lease(...given)
      client.abort(gone)
      return isTaken
    }
    const waiting = casesOf({ ...store, cases: { ...store.cases, lease } })
    const save = waiting.save(request({ id, data: { a: 2 }, asking: askingWith(client.signal) }))
    await expect(save).rejects.toBe(gone)
  })

  test('a type that changes between read and commit is read again', async () => {
    const id = await create({ a: 'x' })
    await Promise.all([
      saveType(['a']),
      ...Array.from({ length: 5 }, (_, index) =>
        cases.save(request({ id, isMerge: true, data: { [`f${index}`]: 1 } })),
      ),
    ])
    const page = { after: null, before: null, limit: 10, fromEnd: false }
    const found = await cases.page(
      'a',
      { caseTypeCode: 'incident', where: [{ field: 'a', in: ['x'] }] },
      page,
    )
    expect(found.map(row => row.id)).toEqual([id])
  })

  test('saving a type indexes the cases that exist, and equal values are found', async () => {
    const long = 'x'.repeat(5_000)
    await create({ k: { a: 1, b: [1] } })
    await create({ k: long })
    await create({ k: null })
    await create({ k: 1 }, 'other')
    expect(await saveType(['k'])).toMatchObject({
      indexedFields: ['k'],
    })
    const page = { after: null, before: null, limit: 10, fromEnd: false }
    const find = async (value: JsonObject | string | null) =>
      (await cases.page('a', { caseTypeCode: 'incident', where: [{ field: 'k', in: [value] }] }, page)).map(
        ({ id }) => id,
      )
    expect(await find({ b: [1], a: 1 })).toEqual([1])
    expect(await find(long)).toEqual([2])
    expect(await find(null)).toEqual([3])
    await expect(
      cases.page('a', { caseTypeCode: 'incident', where: [{ field: 'z', in: [] }] }, page),
    ).rejects.toMatchObject({ code: 'BAD_USER_INPUT', message: expect.stringContaining('`k`') })
  })

  test('a search has at most 8 conditions', async () => {
    await create({ k: 1, l: 2 })
    await saveType(['k', 'l'])
    const page = { after: null, before: null, limit: 10, fromEnd: false }
    const find = (...where: { field: string; in: number[] }[]) =>
      cases.page('a', { caseTypeCode: 'incident', where }, page)
    const eight = Array.from({ length: 8 }, (_, index) => ({
      field: index % 2 === 0 ? 'k' : 'l',
      in: [1, 2],
    }))
    expect(await find(...eight)).toHaveLength(1)
    await expect(find(...eight, { field: 'k', in: [1] })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      fields: [{ pointer: '/filter/where', detail: expect.stringContaining('at most 8 conditions') }],
    })
  })

  test('a field that is indexed again is not found by the values of before', async () => {
    const id = await create({ a: 'before' })
    const { revision } = await saveType(['a'])
    // As a gateway leaves it that dies before it deletes the values.
    await store.cases.saveType(by('a'), { code: 'incident', indexedFields: [], writtenFields: [], revision })
    await cases.save(request({ id, data: { a: 'after' } }))
    await saveType(['a'])
    const page = { after: null, before: null, limit: 10, fromEnd: false }
    const find = (value: string) =>
      cases.page('a', { caseTypeCode: 'incident', where: [{ field: 'a', in: [value] }] }, page)
    expect(await find('before')).toEqual([])
    expect(await find('after')).toHaveLength(1)
  })

  test('a type whose client disconnects is indexed no further, and a later save continues', async () => {
    for (let count = 0; count < 60; count++) await create({ a: 1, b: 2 })
    await saveType(['a'])
    const client = new AbortController()
    const gone = new Error('gone')
    const turns: string[] = []
    const leaveAtSecondTurn = async (accountCode: string) => {
      turns.push(accountCode)
      if (turns.length === 2) client.abort(gone)
    }
    const leaving = createCases({ store, scripts, deferRuns, waitForTurn: leaveAtSecondTurn })
    const request = { code: 'incident', indexedFields: ['a', 'b'], signal: client.signal }
    await expect(leaving.saveType(by('a'), request)).rejects.toBe(gone)
    expect(turns).toEqual(['a', 'a'])
    expect((await cases.findType('a', 'incident'))?.indexedFields).toEqual(['a'])
    const page = { after: null, before: null, limit: 100, fromEnd: false }
    const find = (field: string, value: number) =>
      cases.page('a', { caseTypeCode: 'incident', where: [{ field, in: [value] }] }, page)
    expect(await find('a', 1)).toHaveLength(60)
    await saveType(['a', 'b'])
    expect(await find('b', 2)).toHaveLength(60)
  })

  test('a text that is no code of a case type is refused, and not sent to the database', async () => {
    const page = { after: null, before: null, limit: 10, fromEnd: false }
    for (const caseTypeCode of ['\0', '\ud800', '', 'a b']) {
      await expect(cases.page('a', { caseTypeCode, where: [] }, page)).rejects.toMatchObject({
        fields: [{ pointer: '/filter/caseTypeCode' }],
      })
    }
  })

  test('a save that was committed before its gateway died is given again, whatever the version is now', async () => {
    const id = await create()
    const keyed = {
      id,
      data: { a: 2 },
      ifVersions: [1],
      origin: { ...by('a'), step: { key: 'k', number: 1 } },
    }
    const first = await cases.save(request(keyed))
    await cases.save(request({ id, data: { a: 3 } }))
    const again = await cases.save(request(keyed))
    expect([again.isSaved, again.row, again.changedFields]).toEqual([true, first.row, first.changedFields])
    expect(writePatch(again.changed, again.data ?? '')).toBe(writePatch(first.changed, first.data ?? ''))
    expect(await readData(id)).toEqual({ a: 3 })
  })

  test('a save for a queued run whose lease has ended is not committed', async () => {
    const id = await create({ a: 1 })
    const ended = new Error('The lease has ended')
    const checkLease = () => {
      throw ended
    }
    const parentRun = { changingCases: new Map(), generation: firstGeneration, checkLease } as unknown as Run
    const asking = { ...askingWith(new AbortController().signal), parentRun }
    await expect(cases.save(request({ id, data: { a: 2 }, asking }))).rejects.toBe(ended)
    await expect(cases.remove({ ...request({ asking }), id })).rejects.toBe(ended)
    expect(await readData(id)).toEqual({ a: 1 })
  })

  test('a case keeps its type, and an unknown one is not found', async () => {
    const id = await create()
    await expect(cases.save(request({ id, caseTypeCode: 'other' }))).rejects.toMatchObject({
      fields: [{ pointer: '/caseTypeCode' }],
    })
    await expect(cases.save(request({ id: 99 }))).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(cases.save(request({ id, origin: by('b') }))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
