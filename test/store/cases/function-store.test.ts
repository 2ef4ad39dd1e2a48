import { beforeEach, expect, test } from 'vitest'
import type { NewVersion, StoredFunction } from '../../../src/domain/functions/function-store.ts'
import type { Origin } from '../../../src/domain/port.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { keptRun } from '../runs/kept-run.ts'
import { functionLimits, saveFunction, versionOf } from './save-function.ts'

const wholePage = { after: null, before: null, limit: 1_000, fromEnd: false }

const hashOf = (sourceCode: string) => versionOf(sourceCode).hash

eachStore(harness => {
  let store: Store
  let url: string
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url })
  })

  const save = (version: NewVersion, origin?: Origin, limits?: typeof functionLimits) =>
    saveFunction(store, version, origin, limits)

  const liveHash = async ({ liveVersionId }: StoredFunction) =>
    (await store.functions.versions.findByIds('a', [liveVersionId]))[0]?.hash

  const hashesOf = async (id: number) =>
    (await store.functions.pageVersions('a', [id], wholePage)).map(({ hash }) => hash)

  test('a saved version is live unless it is not made so, and the first one is live in any case', async () => {
    const first = await save(versionOf('1', { makeLive: false }))
    expect(await liveHash(first)).toBe(hashOf('1'))
    expect(await liveHash(await save(versionOf('2', { makeLive: false })))).toBe(hashOf('1'))
    expect(await liveHash(await save(versionOf('2')))).toBe(hashOf('2'))
    expect(await store.functions.findByIds('a', [first.id])).toEqual([
      {
        id: first.id,
        name: 'recalculate',
        caseTypeCode: null,
        liveVersionId: expect.any(Number),
        createdAt: expect.any(Date),
      },
    ])
  })

  test('a condition is compared with the live version, and with no function', async () => {
    const attempt = (source: string, ifLive: readonly string[], caseTypeCode: string | null = null) =>
      store.functions.save(by('a'), versionOf(source, { ifLive, caseTypeCode }), functionLimits)
    const notMet = (liveVersion: string | null) => ({ code: 'PRECONDITION_FAILED', facts: { liveVersion } })
    for (const ifLive of [[hashOf('1')], ['*'], ['']])
      await expect(attempt('1', ifLive)).rejects.toMatchObject(notMet(null))
    expect(await store.functions.listAfter('a', 0, 10)).toEqual([])
    expect(await attempt('1', [])).toMatchObject({ isNew: true })
    for (const ifLive of [[], [hashOf('2')], ['']])
      await expect(attempt('2', ifLive)).rejects.toMatchObject(notMet(hashOf('1')))
    expect(await attempt('2', [], 'incident')).toMatchObject({ isNew: true })
    expect(await attempt('2', [hashOf('0'), hashOf('1')])).toMatchObject({ isNew: false })
    expect(await attempt('3', ['*'])).toMatchObject({ isNew: false })
    const name = { name: 'recalculate', caseTypeCode: 'incident' }
    const hash = hashOf('2')
    await expect(store.functions.remove(by('a'), name, [hashOf('3')])).rejects.toMatchObject(notMet(hash))
    expect(await store.functions.remove(by('a'), name, [hash])).toMatchObject(name)
    await expect(store.functions.remove(by('a'), name, [hash])).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await store.functions.findExact('a', name)).toBeNull()
    expect(await store.functions.findExact('a', { ...name, caseTypeCode: null })).toMatchObject({
      caseTypeCode: null,
    })
  })

  test('a repeated step gives the first result, with its time', async () => {
    const origin = { ...by('a'), step: { key: 'key', number: 1 } }
    const save = () => store.functions.save(origin, versionOf('1', { ifLive: [] }), functionLimits)
    const first = await save()
    expect(first).toMatchObject({ isNew: true, function: { createdAt: expect.any(Date) } })
    expect(await save()).toEqual(first)
  })

  test('the same source again is the same version, with its first comment and author', async () => {
    const { id } = await save(versionOf('1', { comment: 'first' }))
    await save(versionOf('2'))
    const again = await save(versionOf('1', { comment: 'again' }), { ...by('a'), userId: 9 })
    expect(await hashesOf(id)).toEqual([hashOf('1'), hashOf('2')])
    expect(await store.functions.versions.findByIds('a', [again.liveVersionId])).toMatchObject([
      { hash: hashOf('1'), comment: 'first', byUserId: 1, byEmail: 'ann@example.com', at: expect.any(Date) },
    ])
    expect(await store.functions.sources.findByIds('a', [again.liveVersionId])).toEqual([
      { id: again.liveVersionId, sourceCode: '1' },
    ])
  })

  test('another version is made live, also an earlier one', async () => {
    const { id } = await save(versionOf('1'))
    await save(versionOf('2'))
    const result = await store.functions.makeLive(by('a'), id, { hash: hashOf('1') })
    expect(await liveHash(result)).toBe(hashOf('1'))
    const missing = (message: string) => ({ code: 'NOT_FOUND', message: expect.stringContaining(message) })
    await expect(store.functions.makeLive(by('a'), id, { hash: hashOf('3') })).rejects.toMatchObject(
      missing('version'),
    )
    await expect(store.functions.makeLive(by('b'), id, { hash: hashOf('1') })).rejects.toMatchObject(
      missing('no function'),
    )
  })

  test('a name is looked up with the case type first, then without', async () => {
    const any = await save(versionOf('any'))
    const own = await save(versionOf('own', { caseTypeCode: 'incident' }))
    const find = (name: string, caseTypeCode: string | null) =>
      store.functions.findByName('a', { name, caseTypeCode })
    expect(await find('recalculate', 'incident')).toEqual(own)
    expect(await find('recalculate', 'request')).toEqual(any)
    expect(await find('recalculate', null)).toEqual(any)
    expect(await find('other', 'incident')).toBeNull()
    expect(await store.functions.findByName('b', any)).toBeNull()
    await save(versionOf('only', { name: 'only', caseTypeCode: 'incident' }))
    expect(await find('only', null)).toBeNull()
  })

  test('the version to run comes with its source', async () => {
    const given = { name: 'recalculate', caseTypeCode: 'incident' }
    const { id } = await save(versionOf('1'))
    await save(versionOf('2'))
    const runnable = { id, name: 'recalculate', caseTypeCode: null, hash: hashOf('2'), sourceCode: '2' }
    expect(await store.functions.findRunnable('a', given, null)).toEqual({ kind: 'found', runnable })
    expect(await store.functions.findRunnable('a', given, hashOf('1'))).toEqual({
      kind: 'found',
      runnable: { ...runnable, hash: hashOf('1'), sourceCode: '1' },
    })
    const missing = { kind: 'missing', what: 'version' }
    expect(await store.functions.findRunnable('a', given, hashOf('3'))).toEqual(missing)
    expect(await store.functions.findRunnable('b', given, null)).toEqual({ ...missing, what: 'function' })
  })

  const few = { ...functionLimits, versions: 3 }
  const stage = (source: string) => save(versionOf(source, { makeLive: false }), by('a'), few)
  const range = (length: number) => Array.from({ length }, (_, index) => `${index + 1}`)

  async function runEach(sources: readonly string[]) {
    const inserts = sources.map(source => keptRun({ functionVersion: hashOf(source) }))
    await store.runs.write('a', 'one', { inserts, ends: [] })
  }

  test('past the limit of versions the newest ones stay, and the live one', async () => {
    const { id } = await stage('1')
    for (const source of ['2', '3', '4', '5']) await stage(source)
    expect(await hashesOf(id)).toEqual(['1', '3', '4', '5'].map(hashOf))
    expect(await stage('2')).toMatchObject({ id })
    expect(await hashesOf(id)).toEqual(['1', '4', '5', '2'].map(hashOf))
  })

  test('versions that runs refer to stay, and take no place from the newest ones', async () => {
    const sources = range(5)
    const { id } = await save(versionOf('0'), by('a'), few)
    for (const source of sources) {
      await save(versionOf(source), by('a'), few)
      await runEach([source])
    }
    for (const source of ['6', '7', '8']) await stage(source)
    expect(await hashesOf(id)).toEqual(['0', ...sources, '6', '7', '8'].map(hashOf))
    expect(await liveHash(await save(versionOf('9'), by('a'), few))).toBe(hashOf('9'))
    expect(await hashesOf(id)).toEqual(['0', ...sources, '7', '8', '9'].map(hashOf))
  })

  test('the ten versions that were live before stay for a roll-back', async () => {
    const sources = range(13)
    const [{ id }] = await Promise.all([save(versionOf('1'), by('a'), few)])
    for (const source of sources.slice(1)) await save(versionOf(source), by('a'), few)
    // The second one is live again, so it is not among those before.
    await store.functions.makeLive(by('a'), id, { hash: hashOf('3') })
    for (const source of ['a', 'b', 'c', 'd']) await stage(source)
    const kept = sources.filter(source => source !== '1' && source !== '2')
    expect(await hashesOf(id)).toEqual([...kept, 'b', 'c', 'd'].map(hashOf))
    for (const source of kept) {
      expect(await store.functions.makeLive(by('a'), id, { hash: hashOf(source) })).toMatchObject({ id })
    }
  })

  test('versions whose runs are gone are deleted by later saves, a few at a time', async () => {
    const sources = range(50)
    const { id } = await stage('0')
    for (const source of sources) {
      await stage(source)
      await runEach([source])
    }
    expect(await hashesOf(id)).toHaveLength(51)
    const limits = { startedBefore: Date.now() + 1_000, maxRuns: 0, maxBytes: 0 }
    while ((await store.runs.deleteExpired(limits, 100)) > 0);
    await stage('51')
    expect((await hashesOf(id)).length).toBeGreaterThan(25)
    for (const source of ['52', '53', '54', '55']) await stage(source)
    expect(await hashesOf(id)).toEqual(['0', '53', '54', '55'].map(hashOf))
  })

  test('the live version of a function is found in one statement, also of a removed one', async () => {
    const { id } = await save(versionOf('1'))
    const { id: other } = await save(versionOf('2', { name: 'other' }))
    await store.functions.remove(by('a'), id)
    const found = await store.functions.findLiveOf('a', [id, other, 99])
    expect(found.map(({ functionId, hash }) => [functionId, hash])).toEqual([
      [id, hashOf('1')],
      [other, hashOf('2')],
    ])
    expect(await store.functions.findLiveOf('b', [id, other])).toEqual([])
  })

  test('a version is found with the name of its function, also of a removed one', async () => {
    const { id } = await save(versionOf('1'))
    await save(versionOf('2'))
    const find = () => store.functions.findVersion('a', id, hashOf('1'))
    const version = { name: 'recalculate', hash: hashOf('1'), sourceCode: '1' }
    expect(await find()).toEqual(version)
    await store.functions.remove(by('a'), id)
    expect(await find()).toEqual(version)
    expect(await store.functions.findVersion('b', id, hashOf('1'))).toBeNull()
  })

  test('past the limit of functions nothing is saved, but known functions get versions', async () => {
    const few = { ...functionLimits, functions: 2 }
    const { id } = await save(versionOf('1'), by('a'), few)
    await save(versionOf('1', { name: 'second' }), by('a'), few)
    const third = store.functions.save(by('a'), versionOf('1', { name: 'third' }), few)
    await expect(third).rejects.toMatchObject({ code: 'CONFLICT', reason: 'LIMIT' })
    await save(versionOf('2'), by('a'), few)
    expect(await hashesOf(id)).toEqual(['1', '2'].map(hashOf))
    expect((await store.functions.listAfter('a', 0, 10)).map(({ name }) => name)).toEqual([
      'recalculate',
      'second',
    ])
    await save(versionOf('1', { name: 'third' }), by('b'), few)
  })

  test('saves of one new function at once make one function with all versions', async () => {
    const stores = harness.engine === 'SQLite' ? [store] : [store, await harness.open({ url })]
    const saved = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (stores[index % stores.length] ?? store).functions.save(
          by('a'),
          versionOf(`${index}`),
          functionLimits,
        ),
      ),
    )
    const ids = saved.map(({ function: { id } }) => id)
    expect(new Set(ids).size).toBe(1)
    expect(await hashesOf(ids[0] ?? 0)).toHaveLength(20)
  })

  test('a removed function is gone, is given as it was, and leaves its name free', async () => {
    const { id } = await save(versionOf('1', { comment: 'gone' }))
    await expect(store.functions.remove(by('b'), id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await store.functions.remove(by('a'), id)).toMatchObject({
      id,
      removedLive: { hash: hashOf('1'), sourceCode: '1', at: expect.any(Date) },
    })
    await expect(store.functions.remove(by('a'), id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await store.functions.findByIds('a', [id])).toEqual([])
    expect(await store.functions.listAfter('a', 0, 10)).toEqual([])
    expect((await save(versionOf('1'))).id).not.toBe(id)
  })

  test('a step under an idempotency key is done once', async () => {
    const stepped = (number: number) => ({ ...by('a'), step: { key: 'k', number } })
    const first = await save(versionOf('1'), stepped(1))
    expect(await save(versionOf('1'), stepped(1))).toEqual(first)
    const removed = await store.functions.remove(stepped(2), first.id)
    expect(await store.functions.remove(stepped(2), first.id)).toEqual(removed)
  })

  test('functions of two accounts do not meet', async () => {
    const { id } = await save(versionOf('1'))
    const { id: other } = await save(versionOf('1'), by('b'))
    expect(other).toBe(id)
    expect(await store.functions.listAfter('c', 0, 10)).toEqual([])
    expect(await store.functions.pageVersions('c', [id], wholePage)).toEqual([])
    expect(await store.functions.sources.findByIds('c', [1, 2])).toEqual([])
    expect(await store.functions.versions.findByIds('c', [1, 2])).toEqual([])
  })
})
