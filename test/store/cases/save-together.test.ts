import SqliteDatabase from 'better-sqlite3'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { CaseCommit } from '../../../src/domain/cases/case-store.ts'
import type { Page } from '../../../src/domain/port.ts'
import type { Store } from '../../../src/domain/store.ts'
import { storedRowBytes } from '../../../src/domain/store-limits.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { readRows } from '../databases/read-rows.ts'
import { keptRun } from '../runs/kept-run.ts'
import { caseCommit } from './case-commit.ts'
import { openWatched } from './open-watched.ts'

const cases = 12
const page: Page = { after: null, before: null, limit: 100, fromEnd: false }
const after = {
  event: 'post-save',
  hooks: [1, 2].map(id => ({ id, functionId: id, functionName: `f${id}`, scopes: [] })),
  causedBy: { userId: null, subject: null, email: null, displayName: null },
  generation: 1,
} as const

eachStore(harness => {
  let url: string
  let store: Store
  let statements: string[]
  beforeEach(async () => {
    ;({ url, store, statements } = await openWatched(harness))
    await store.cases.saveType(by('a'), {
      code: 'incident',
      indexedFields: ['a'],
      writtenFields: ['a'],
      revision: 0,
    })
    for (let id = 1; id <= cases; id += 1)
      await store.cases.commit(caseCommit({ data: '{"a":1}', revision: 1 }))
    statements.length = 0
  })

  const ids = Array.from({ length: cases }, (_, index) => index + 1)

  /** Saves all cases at once, each as `given` says. */
  async function saveAll(given: (id: number) => Partial<CaseCommit>, at = store) {
    const rows = await at.cases.findByIds('a', ids)
    const saves = ids.map(id => {
      const read = rows.find(row => row.id === id) ?? null
      return at.cases.commit(
        caseCommit({ read, revision: 1, data: `{"a":${id}}`, changedFields: '{"a":[2,1]}', ...given(id) }),
      )
    })
    return Promise.allSettled(saves)
  }

  const kindsOf = (results: Awaited<ReturnType<typeof saveAll>>) =>
    results.map(each => (each.status === 'fulfilled' ? each.value.kind : String(each.reason?.code)))

  async function readVersions() {
    const rows = await store.cases.findByIds('a', ids)
    return rows.toSorted((one, other) => one.id - other.id).map(({ version }) => version)
  }

  const countSaves = () => statements.filter(text => /update cases/.test(text)).length
  const countRaises = () => statements.filter(text => /insert into counters/.test(text)).length
  const countEvents = () => statements.filter(text => /insert into case_events/.test(text)).length

  test('saves of many cases at once share statements', async () => {
    const results = await saveAll(() => ({}))
    expect(kindsOf(results)).toEqual(ids.map(() => 'committed'))
    expect(results.map(each => each.status === 'fulfilled' && 'row' in each.value && each.value.row)).toEqual(
      ids.map(id => expect.objectContaining({ id, version: 2, data: { text: `{"a":${id}}` } })),
    )
    // SQLite shares those that are about the account.
    const shared = harness.engine === 'PostgreSQL' ? countSaves() : countRaises()
    expect(shared).toBeLessThanOrEqual(2)
    const events = await store.cases.events.page('a', page)
    expect(
      events.slice(cases).map(({ sequence, kind, caseId, version }) => [sequence, kind, caseId, version]),
    ).toEqual(ids.map(id => [cases + id, 'saved', id, 2]))
  })

  test('a save that is not as it was read leaves the others of its statement', async () => {
    await store.cases.lease('a', 3, { holder: 'other', ms: 60_000 })
    await store.cases.lease('a', 6, { holder: 'me', ms: 60_000 })
    const results = await saveAll(id => {
      if (id === 2) return { read: { id: 2, version: 7, dataBytes: 7 } }
      if (id === 4) return { revision: 9 }
      return id === 5 ? { read: { id: 500, version: 1, dataBytes: 7 } } : {}
    })
    const conflicts = [2, 3, 4, 5]
    expect(kindsOf(results)).toEqual(ids.map(id => (conflicts.includes(id) ? 'conflict' : 'committed')))
    // One statement for all of them, and no other save.
    if (harness.engine === 'PostgreSQL') expect(countEvents()).toBe(1)
    expect(await readVersions()).toEqual(ids.map(id => (conflicts.includes(id) ? 1 : 2)))
    expect(await store.cases.events.newest('a')).toBe(2 * cases - conflicts.length)
  })

  test('a save that the database refuses fails alone', async () => {
    if (harness.engine === 'SQLite') {
      const client = new SqliteDatabase(url.slice('sqlite:'.length))
      client.exec(`
        create trigger refuse before update on cases when new.id = 6
        begin select raise(abort, 'no sixth'); end`)
      client.close()
    }
    // PostgreSQL refuses this character in any text, and with it the whole statement.
    const results = await saveAll(id => (id === 6 ? { origin: { ...by('a'), email: 'a\u0000b' } } : {}))
    const sixth = harness.engine === 'SQLite' ? 'SQLITE_CONSTRAINT_TRIGGER' : '22021'
    expect(kindsOf(results)).toEqual(ids.map(id => (id === 6 ? sixth : 'committed')))
    expect(await readVersions()).toEqual(ids.map(id => (id === 6 ? 1 : 2)))
    const events = await store.cases.events.listAfter('a', cases, 100)
    expect(events.map(({ sequence }) => sequence)).toEqual(ids.slice(0, -1).map(id => cases + id))
  })

  test('listeners hear of the events, and of queued runs', async () => {
    const heard: unknown[] = []
    onTestFinished(store.cases.events.onChange(accountCode => heard.push(accountCode)))
    onTestFinished(store.queue.onQueued(() => heard.push('queued')))
    // PostgreSQL wakes all listeners once it listens, and then for what was announced before.
    if (harness.engine === 'PostgreSQL') await expect.poll(() => heard).toContain(null)
    await store.cases.commit(caseCommit({ origin: by('last') }))
    await expect.poll(() => heard).toContain('last')
    heard.length = 0
    await saveAll(() => ({}))
    await expect.poll(() => heard).toContain('a')
    expect(heard).not.toContain('queued')
    await saveAll(id => ({ after, read: { id, version: 2, dataBytes: 7 } }))
    await expect.poll(() => heard).toContain('queued')
  })

  test('of several saves of one version, one is committed', async () => {
    const results = await saveAll(id => ({ read: { id: 1 + (id % 2), version: 1, dataBytes: 7 } }))
    expect(kindsOf(results).toSorted()).toEqual([
      ...['committed', 'committed'],
      ...ids.slice(2).map(() => 'conflict'),
    ])
    expect((await readVersions()).slice(0, 3)).toEqual([2, 2, 1])
  })

  test('the values of indexed fields are those of the last save, for the type of the case', async () => {
    const other = { code: 'other', indexedFields: ['a'], writtenFields: ['a'], revision: 0 }
    await store.cases.saveType(by('a'), other)
    const ofOther = { caseTypeCode: 'other', revision: 1 }
    const added = await store.cases.commit(caseCommit({ ...ofOther, data: '{"a":1}' }))
    expect(added).toMatchObject({ kind: 'committed', row: { id: cases + 1 } })
    const saveBoth = (version: number, toValue: (id: number) => string) => {
      const valuesOf = (id: number) => ({ values: [{ field: 'a', value: toValue(id) }] })
      const read = { id: cases + 1, version, dataBytes: 7 }
      return Promise.all([
        saveAll(id => ({ ...valuesOf(id), data: `{"a":${version + 1}}` })),
        store.cases.commit(caseCommit({ ...ofOther, ...valuesOf(cases + 1), read, data: '{"a":2}' })),
      ])
    }
    await saveBoth(1, id => String(id % 3))
    await saveBoth(2, id => String(id % 2))
    const find = async (caseTypeCode: string, value: string) => {
      const where = [{ field: 'a', in: [value] }]
      return (await store.cases.page('a', { caseTypeCode, where }, page)).map(({ id }) => id)
    }
    expect(await find('incident', '0')).toEqual(ids.filter(id => id % 2 === 0))
    expect(await find('other', '1')).toEqual([cases + 1])
    expect(await find('other', '0')).toEqual([])
  })

  describe('with hooks after them', () => {
    test('queue the runs of each save with its own input, in consecutive ids', async () => {
      const results = await saveAll(() => ({ after }))
      expect(kindsOf(results)).toEqual(ids.map(() => 'committed'))
      if (harness.engine === 'PostgreSQL') expect(countSaves()).toBeLessThanOrEqual(2)
      const queued = await store.queue.list('a', null, 0, 100)
      expect(queued.map(({ id, caseId, triggerId }) => [id, caseId, triggerId])).toEqual(
        Array.from({ length: 2 * cases }, (_, index) => [
          index + 1,
          Math.floor(index / 2) + 1,
          (index % 2) + 1,
        ]),
      )
      const claim = await store.queue.claim({
        ...{ accountCode: 'a', holder: 'h', leaseMs: 60_000, maxRuns: 100 },
        retryAfterMs: () => null,
      })
      expect(claim.runs.map(({ caseId, input }) => input === `{"a":${caseId}}`)).not.toContain(false)
      expect(new Set(claim.runs.map(({ caseId, triggerId }) => `${caseId}/${triggerId}`)).size).toBe(
        2 * cases,
      )
    })

    test('are refused alone where the queue has no room for all of them', async () => {
      const small = await harness.open({ url, limits: { queueBytes: 300 } })
      const kinds = kindsOf(await saveAll(() => ({ after }), small))
      const committed = kinds.filter(kind => kind === 'committed').length
      expect(committed).toBeGreaterThan(0)
      expect(kinds.filter(kind => kind === 'OVERLOADED')).toHaveLength(cases - committed)
      expect(await store.queue.count('a', null)).toBe(2 * committed)
      expect((await readVersions()).filter(version => version === 2)).toHaveLength(committed)
      expect(await store.cases.events.newest('a')).toBe(cases + committed)
    })
  })

  describe('new cases that come at once', () => {
    const create = (given: (n: number) => Partial<CaseCommit>, at = store) =>
      Promise.allSettled(
        ids.map(n => at.cases.commit(caseCommit({ revision: 1, data: `{"a":${n}}`, ...given(n) }))),
      )
    const newIds = ids.map(id => cases + id)

    test('have consecutive ids and events, and share statements on PostgreSQL', async () => {
      const results = await create(n => ({ values: [{ field: 'a', value: String(n % 2) }] }))
      expect(
        results.map(each => each.status === 'fulfilled' && 'row' in each.value && each.value.row),
      ).toEqual(
        newIds.map((id, index) =>
          expect.objectContaining({ id, version: 1, data: { text: `{"a":${index + 1}}` } }),
        ),
      )
      if (harness.engine === 'PostgreSQL') expect(countEvents()).toBe(1)
      const events = await store.cases.events.listAfter('a', cases, 100)
      expect(events.map(({ sequence, kind, caseId, version }) => [sequence, kind, caseId, version])).toEqual(
        newIds.map(id => [id, 'created', id, 1]),
      )
      const where = [{ field: 'a', in: ['0'] }]
      const found = await store.cases.page('a', { caseTypeCode: 'incident', where }, page)
      expect(found.map(({ id }) => id)).toEqual(newIds.filter(id => (id - cases) % 2 === 0))
    })

    test('of another revision of the type are conflicts, and others take no numbers for them', async () => {
      const results = await create(n => (n % 2 === 0 ? { revision: 9 } : {}))
      expect(kindsOf(results)).toEqual(ids.map(n => (n % 2 === 0 ? 'conflict' : 'committed')))
      const next = await store.cases.commit(caseCommit({ revision: 1 }))
      expect(next).toMatchObject({ row: { id: cases + cases / 2 + 1 } })
    })

    test('queue runs that hold their ids, and count the bytes of their rows, also across 99', async () => {
      const readSums = async () => {
        const text = `
          select waiting, waiting_bytes,
            (select sum(waiting_bytes) from queued_inputs) as of_inputs,
            (select sum(length(input) + length(options)) from queued_inputs) as of_texts,
            (select count(*) from queued_inputs) as inputs
          from queue_accounts where account_code = 'a'`
        const [row] = await readRows<Record<string, unknown>>(url, text)
        return Object.values(row ?? {}).map(Number)
      }
      await Promise.all(
        Array.from({ length: 94 - cases }, () => store.cases.commit(caseCommit({ revision: 1 }))),
      )
      const storedBefore = await store.accounts.findStoredBytes('a')
      await create(n => ({ data: `{"a":${n}}`, after }))
      const [waiting, waitingBytes, ofInputs, ofTexts, inputs] = await readSums()
      expect([waiting, inputs]).toEqual([2 * cases, cases])
      expect([ofInputs, ofTexts]).toEqual([waitingBytes, waitingBytes])
      const texts = ids.reduce((sum, n) => sum + `{"a":${n}}`.length + '{}'.length, 0)
      // A case, its event, an input and two runs each.
      const expected = texts + Number(ofTexts) + 5 * cases * storedRowBytes
      expect((await store.accounts.findStoredBytes('a')) - storedBefore).toBe(expected)
      const queued = await store.queue.list('a', null, 0, 100)
      expect(queued.map(({ caseId }) => caseId)).toEqual(ids.flatMap(n => [94 + n, 94 + n]))
      const { runs } = await store.queue.claim({
        ...{ holder: 'h', leaseMs: 60_000, maxRuns: 100 },
        retryAfterMs: () => null,
      })
      for (const { caseId, options } of runs)
        expect(JSON.parse(options)).toMatchObject({ case: { id: caseId } })
    })

    test('with an idempotency key are made once, at two gateways', async () => {
      const others = harness.engine === 'SQLite' ? store : await harness.open({ url })
      const origin = { ...by('a'), step: { key: 'k', number: 1 } }
      const results = await Promise.all(
        [store, others, store, others].map(at => at.cases.commit(caseCommit({ origin, revision: 1 }))),
      )
      for (const result of results)
        expect(result).toMatchObject({ kind: 'committed', row: { id: cases + 1 } })
      expect(await store.cases.commit(caseCommit({ revision: 1 }))).toMatchObject({ row: { id: cases + 2 } })
    })
  })

  test('saves of many bytes have statements of their own', async () => {
    const text = 'x'.repeat(700_000)
    const results = await saveAll(id => ({ data: `{"a":"${id}${text}"}` }))
    expect(kindsOf(results)).toEqual(ids.map(() => 'committed'))
    if (harness.engine === 'PostgreSQL') expect(countSaves()).toBe(cases)
  })

  test('what a save would free is no room for another, because it may not be saved', async () => {
    const accountBytes = await store.accounts.findStoredBytes('a')
    const small = await harness.open({ url, limits: { accountBytes: accountBytes + 400 } })
    const stale = { read: { id: 1, version: 9, dataBytes: 5_000 }, data: '{}' }
    const growing = { read: { id: 2, version: 1, dataBytes: 7 }, data: `{"a":"${'x'.repeat(500)}"}` }
    const saves = [stale, growing].map(given => small.cases.commit(caseCommit({ revision: 1, ...given })))
    expect(kindsOf(await Promise.allSettled(saves))).toEqual(['conflict', 'OVERLOADED'])
    expect(await store.accounts.findStoredBytes('a')).toBeLessThanOrEqual(accountBytes + 400)
  })

  test('a save that fills its account to the byte leaves its runs no room for texts', async () => {
    const accountBytes = (await store.accounts.findStoredBytes('a')) + 2 * storedRowBytes + '{}{}'.length
    const full = await harness.open({ url, limits: { accountBytes } })
    const texts = { input: `"${'x'.repeat(10_000)}"`, source: 'exit(payload)' }
    const run = keptRun({ texts, textBytes: { input: 10_002, source: 13 } })
    const runs = { gateway: 'g', inserts: [run], ends: [] }
    expect(await full.cases.commit(caseCommit({ revision: 1, runs }))).toMatchObject({ kind: 'committed' })
    expect(await store.accounts.findStoredBytes('a')).toBeLessThan(accountBytes + 10_000)
  })

  test('the bytes of an account are those of its rows', async () => {
    const before = await store.accounts.findStoredBytes('a')
    await saveAll(() => ({ data: '{"a":12345}' }))
    const one = (await store.accounts.findStoredBytes('a')) - before
    const later = await saveAll(id => ({
      read: { id, version: id === 1 ? 1 : 2, dataBytes: 11 },
      data: '{"a":12345}',
    }))
    expect(kindsOf(later).filter(kind => kind === 'committed')).toHaveLength(cases - 1)
    const two = (await store.accounts.findStoredBytes('a')) - before - one
    // The first saves also added four bytes to each case.
    expect(two).toBe(((one - 4 * cases) / cases) * (cases - 1))
  })
})
