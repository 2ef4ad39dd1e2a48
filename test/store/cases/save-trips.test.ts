import { beforeEach, expect, test } from 'vitest'
import type { CaseCommit } from '../../../src/domain/cases/case-store.ts'
import type { Page } from '../../../src/domain/port.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { keptRun } from '../runs/kept-run.ts'
import { caseCommit } from './case-commit.ts'
import { countTrips } from './count-trips.ts'
import { openWatched } from './open-watched.ts'

const page: Page = { after: null, before: null, limit: 10, fromEnd: false }

eachStore(harness => {
  let url: string
  let store: Store
  let statements: string[]
  beforeEach(async () => {
    ;({ url, store, statements } = await openWatched(harness))
    await store.cases.commit(caseCommit({ data: '{"a":1}' }))
    statements.length = 0
  })

  async function read(at = store) {
    const found = await at.cases.findWithType('a', 1)
    if (found === null) throw new Error('The case is gone.')
    return found
  }

  async function save(data: string, given: Partial<CaseCommit> = {}, at = store) {
    const { row, type } = await read(at)
    const changedFields = `{"a":${data}}`
    return at.cases.commit(
      caseCommit({ read: row, revision: type?.revision ?? 0, data, changedFields, ...given }),
    )
  }

  test('a save without hooks takes two round trips on PostgreSQL, its read included', async () => {
    expect(await save('{"a":2}')).toMatchObject({ kind: 'committed', row: { version: 2, dataBytes: 7 } })
    if (harness.engine === 'PostgreSQL') expect(statements, statements.join('\n')).toHaveLength(2)
    expect((await read()).row.data?.text).toBe('{"a":2}')
    const events = await store.cases.events.pageByCases('a', [1], page)
    expect(events.map(({ kind, version, sequence }) => [kind, version, sequence])).toEqual([
      ['created', 1, 1],
      ['saved', 2, 2],
    ])
    expect(events[1]?.changedFields?.text).toBe('{"a":{"a":2}}')
  })

  const after = {
    event: 'post-save',
    hooks: [{ id: 1, functionId: 1, functionName: 'f', scopes: [] }],
    causedBy: { userId: null, subject: null, email: null, displayName: null },
    generation: 1,
  } as const

  const deciding = () => ({
    gateway: 'g',
    inserts: [keptRun({ texts: { input: '{}', source: 'exit(payload)' } })],
    ends: [],
  })

  let lastStep = 0
  const steps = () => {
    lastStep += 1
    return lastStep
  }

  test.each<readonly [string, number, () => Partial<CaseCommit>]>([
    ['without hooks', 2, () => ({})],
    ['with the values of indexed fields', 3, () => ({ values: [{ field: 'a', value: '1' }] })],
    ['with hooks after it', 3, () => ({ after })],
    ['with an idempotency key', 4, () => ({ origin: { ...by('a'), step: { key: 'k', number: steps() } } })],
    ['with a hook before it, whose run it keeps', 4, () => ({ runs: deciding() })],
    ['with hooks before and after it', 4, () => ({ runs: deciding(), after })],
  ])('a save %s takes %i round trips on PostgreSQL, its read included', async (_, trips, make) => {
    const counted = harness.engine === 'SQLite' ? null : await countTrips(url)
    const at = await harness.open({ url: counted?.url ?? url })
    // The first save opens the connection and prepares the statements.
    await save('{"a":2}', make(), at)
    await counted?.whenQuiet()
    expect(await save('{"a":3}', make(), at)).toMatchObject({ kind: 'committed', row: { version: 3 } })
    if (counted !== null) expect(counted.take()).toBe(trips)
    expect((await read()).row.data?.text).toBe('{"a":3}')
  })

  test('a case is read with its type, and not those of other accounts', async () => {
    const { row, type } = await read()
    expect([row.id, row.data?.text, type?.code, type?.revision]).toEqual([1, '{"a":1}', 'incident', 0])
    expect(await store.cases.findWithType('b', 1)).toBe(null)
    expect(await store.cases.findWithType('a', 2)).toBe(null)
  })

  test.each<readonly [string, number, () => Partial<CaseCommit>]>([
    ['without hooks', 2, () => ({})],
    ['with the values of indexed fields', 3, () => ({ values: [{ field: 'a', value: '1' }] })],
    ['with hooks after it', 3, () => ({ after })],
    ['with an idempotency key', 4, () => ({ origin: { ...by('a'), step: { key: 'k', number: steps() } } })],
    ['with hooks before and after it', 4, () => ({ runs: deciding(), after })],
  ])(
    'a new case %s takes %i round trips on PostgreSQL, the read of its type included',
    async (_, trips, make) => {
      const counted = harness.engine === 'SQLite' ? null : await countTrips(url)
      const at = await harness.open({ url: counted?.url ?? url })
      const create = async () => {
        const type = await at.cases.findType('a', 'incident')
        return at.cases.commit(caseCommit({ revision: type?.revision ?? 0, data: '{"a":5}', ...make() }))
      }
      await create()
      await counted?.whenQuiet()
      expect(await create()).toMatchObject({ kind: 'committed', row: { id: 3, version: 1 } })
      if (counted !== null) expect(counted.take()).toBe(trips)
      expect((await store.cases.findByIds('a', [3])).map(({ data }) => data?.text)).toEqual(['{"a":5}'])
      const events = await store.cases.events.pageByCases('a', [3], page)
      expect(events.map(({ kind, version }) => [kind, version])).toEqual([['created', 1]])
    },
  )

  test('many cases of one turn are read with a few statements, and long ones alone', async () => {
    const text = `{"a":"${'x'.repeat(900_000)}"}`
    for (let id = 2; id <= 9; id += 1) {
      await store.cases.commit(caseCommit({ data: id > 3 ? text : '{"a":1}' }))
    }
    statements.length = 0
    const found = await Promise.all(
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(id => store.cases.findWithType('a', id)),
    )
    const lengths = found.map(each => each?.row.data?.text.length ?? null)
    expect(lengths).toEqual([7, 7, 7, ...Array.from({ length: 6 }, () => text.length), null])
    expect(found.map(each => each?.type?.code)).toEqual([
      ...Array.from({ length: 9 }, () => 'incident'),
      undefined,
    ])
    // One for all of them, and one for each that is long.
    if (harness.engine === 'PostgreSQL') expect(statements).toHaveLength(7)
  })

  test.each([
    ['an older version', { read: { id: 1, version: 0, dataBytes: 7 } }],
    ['another revision of its type', { revision: 7 }],
    ['a case that is not there', { read: { id: 9, version: 1, dataBytes: 7 } }],
    ['the case of another account', { origin: by('b') }],
  ])('a save of %s changes nothing', async (_, given) => {
    expect(await save('{"a":2}', given)).toEqual({ kind: 'conflict' })
    expect((await read()).row).toMatchObject({ version: 1 })
    expect(await store.cases.events.newest('a')).toBe(1)
  })

  test('a save against the lease of another changes nothing', async () => {
    await store.cases.lease('a', 1, { holder: 'other', ms: 60_000 })
    expect(await save('{"a":2}')).toEqual({ kind: 'conflict' })
    expect(await save('{"a":2}', { leaseHolder: 'other' })).toMatchObject({ kind: 'committed' })
  })

  test('a save past the bytes of the account is refused and changes nothing', async () => {
    const small = await harness.open({ url, limits: { accountBytes: 4_000 } })
    await expect(save(`{"a":"${'x'.repeat(4_000)}"}`, {}, small)).rejects.toMatchObject({
      code: 'OVERLOADED',
    })
    expect(await save('{"a":2}', {}, small)).toMatchObject({ kind: 'committed', row: { version: 2 } })
    expect((await read()).row.data?.text).toBe('{"a":2}')
  })

  test('of twenty saves of one version at two gateways, one is committed', async () => {
    const others = harness.engine === 'SQLite' ? store : await harness.open({ url })
    const { row } = await read()
    const saves = Array.from({ length: 20 }, (_, n) =>
      (n % 2 === 0 ? store : others).cases.commit(caseCommit({ read: row, data: `{"a":${n}}` })),
    )
    const kinds = (await Promise.all(saves)).map(({ kind }) => kind)
    expect(kinds.filter(kind => kind === 'committed')).toHaveLength(1)
    expect((await read()).row.version).toBe(2)
    expect(await store.cases.events.newest('a')).toBe(2)
  })

  test('saves of many cases at once number their events without a gap', async () => {
    for (let id = 2; id <= 12; id += 1) await store.cases.commit(caseCommit({ data: '{"a":1}' }))
    const saves = Array.from({ length: 12 }, async (_, n) => {
      const found = await store.cases.findWithType('a', n + 1)
      return store.cases.commit(caseCommit({ read: found?.row ?? null, data: '{"a":3}' }))
    })
    for (const done of await Promise.all(saves)) expect(done.kind).toBe('committed')
    expect(await store.cases.events.newest('a')).toBe(24)
  })
})
