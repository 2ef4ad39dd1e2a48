import { beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import type { CaseTaskInput, Hook, HookInput } from '../../../src/domain/triggers/trigger-store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { complete } from './complete-trigger.ts'
import { saveFunction, versionOf } from './save-function.ts'

const maxHooks = 10
const maxTasks = 50
const ofType = (caseTypeCode: string | null) => ({ caseTypeCode, functionId: null })

eachStore(harness => {
  let store: Store
  let url: string
  let functionId: number
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url })
    functionId = await saveNamed('check', '1')
  })

  const saveNamed = async (name: string, sourceCode: string, accountCode = 'a') =>
    (await saveFunction(store, versionOf(sourceCode, { name }), by(accountCode))).id

  const hookOf = (rest: Partial<HookInput> = {}): HookInput => ({
    caseTypeCode: 'incident',
    event: 'pre-save',
    functionId,
    position: 0,
    scopes: [],
    enabled: true,
    ...rest,
  })

  const taskOf = (rest: Partial<CaseTaskInput> = {}): CaseTaskInput => ({
    caseTypeCode: 'incident',
    name: 'triage',
    functionId,
    scopes: [],
    enabled: true,
    ...rest,
  })

  const save = (given: HookInput, id: number | null = null, accountCode = 'a', from = store) =>
    from.hooks.save(by(accountCode), id, complete(given), maxHooks)

  async function savedHook(rest: Partial<HookInput> = {}, id: number | null = null): Promise<Hook> {
    return save(hookOf(rest), id)
  }

  const saveTask = (given: CaseTaskInput, id: number | null = null, accountCode = 'a', from = store) =>
    from.caseTasks.save(by(accountCode), id, complete(given), maxTasks)

  const revision = async (code = 'incident') => (await store.cases.findType('a', code))?.revision ?? null

  // Two gateways, where a database can have them.
  const gateways = async () => (harness.engine === 'SQLite' ? [store] : [store, await harness.open({ url })])

  describe('a hook', () => {
    test('is saved, changed, listed and removed', async () => {
      const hook = await savedHook({ scopes: ['cases:read', 'admin'], position: -5 })
      const changed = await savedHook(
        { caseTypeCode: 'request', event: 'post-delete', enabled: false },
        hook.id,
      )
      expect(hook).toMatchObject({ id: 1, scopes: ['cases:read', 'admin'], position: -5, enabled: true })
      expect(await store.hooks.findByIds('a', [hook.id])).toEqual([changed])
      expect(await store.hooks.list('a', ofType('request'), 10)).toEqual([changed])
      expect(await store.hooks.list('a', ofType('incident'), 10)).toEqual([])
      expect(await store.hooks.remove(by('a'), hook.id)).toEqual(changed)
      await expect(store.hooks.remove(by('a'), hook.id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(await store.hooks.findByIds('a', [hook.id])).toEqual([])
    })

    test('is listed by position, then id, up to a limit', async () => {
      for (const position of [3, 1, 1]) await savedHook({ position })
      await savedHook({ caseTypeCode: 'request', position: 2 })
      const ids = async (code: string | null, limit = 10) =>
        (await store.hooks.list('a', ofType(code), limit)).map(({ id }) => id)
      expect(await ids('incident')).toEqual([2, 3, 1])
      expect(await ids(null)).toEqual([2, 3, 4, 1])
      expect(await ids(null, 2)).toEqual([2, 3])
    })

    test('is listed by its function, of one case type or of all', async () => {
      const other = await saveNamed('other', '2')
      for (const caseTypeCode of ['incident', 'request']) {
        await savedHook({ caseTypeCode })
        await savedHook({ caseTypeCode, functionId: other })
        await saveTask(taskOf({ caseTypeCode, functionId: other }))
      }
      const filterOf = (caseTypeCode: string | null) => ({ caseTypeCode, functionId: other })
      const ids = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id)
      expect(ids(await store.hooks.list('a', filterOf(null), 10))).toEqual([2, 4])
      expect(ids(await store.hooks.list('a', filterOf('request'), 10))).toEqual([4])
      expect(ids(await store.caseTasks.list('a', filterOf(null), 10))).toEqual([1, 2])
      expect(await store.caseTasks.list('b', filterOf(null), 10)).toEqual([])
    })

    test('needs a function of the account', async () => {
      const missing = (id: number) => ({ code: 'NOT_FOUND', message: `There is no function \`${id}\`.` })
      await expect(save(hookOf({ functionId: 99 }))).rejects.toMatchObject(missing(99))
      await expect(save(hookOf(), null, 'b')).rejects.toMatchObject(missing(functionId))
      expect(await revision()).toBeNull()
    })

    test('of another account is missing', async () => {
      const { id } = await savedHook()
      const other = await saveNamed('check', '1', 'b')
      const missing = (hookId: number) => ({
        code: 'NOT_FOUND',
        message: `There is no hook \`${hookId}\`.`,
      })
      await expect(save(hookOf({ functionId: other }), id, 'b')).rejects.toMatchObject(missing(id))
      await expect(store.hooks.remove(by('b'), id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(await store.hooks.list('b', ofType(null), 10)).toEqual([])
      expect(await store.hooks.findByIds('b', [id])).toEqual([])
      expect(await store.hooks.findLive('b', 'incident', ['pre-save', 'pre-save'])).toEqual([])
      await expect(save(hookOf(), 99)).rejects.toMatchObject(missing(99))
    })

    test('that is saved under an idempotency key is saved once', async () => {
      const origin = { ...by('a'), step: { key: 'k', number: 1 } }
      const first = await store.hooks.save(origin, null, complete(hookOf()), maxHooks)
      expect(await store.hooks.save(origin, null, complete(hookOf()), maxHooks)).toEqual(first)
      expect(await store.hooks.list('a', ofType(null), 10)).toHaveLength(1)
    })

    test('raises the revision of its case type with each change, and of both types when it moves', async () => {
      const { id } = await savedHook()
      expect(await revision()).toBe(1)
      await savedHook({ position: 2 }, id)
      expect(await revision()).toBe(2)
      await savedHook({ caseTypeCode: 'request' }, id)
      expect([await revision(), await revision('request')]).toEqual([3, 1])
      await store.hooks.remove(by('a'), id)
      expect([await revision(), await revision('request')]).toEqual([3, 2])
    })
  })

  describe('a save that read its type before a hook was saved', () => {
    const commit = (revision: number, from = store) =>
      from.cases.commit({
        ...{ origin: by('a'), caseTypeCode: 'incident', read: null, revision, data: '{}', values: null },
        ...{ changedFields: '{}', functionName: null, runs: null, runIds: [], leaseHolder: 'x' },
        ...{ after: null, previousData: null },
      })

    test('commits nothing, for a type that the hook created too', async () => {
      await savedHook()
      expect(await commit(0)).toEqual({ kind: 'conflict' })
      expect(await commit(1)).toMatchObject({ kind: 'committed' })
      await savedHook({ enabled: false }, 1)
      expect(await commit(1)).toEqual({ kind: 'conflict' })
      await store.hooks.remove(by('a'), 1)
      expect(await commit(2)).toEqual({ kind: 'conflict' })
      await saveTask(taskOf())
      expect(await commit(3)).toMatchObject({ kind: 'committed' })
    })

    test('commits before the hook or not at all, at every gateway', async () => {
      const stores = await gateways()
      for (let round = 0; round < 10; round++) {
        const read = (await revision()) ?? 0
        await Promise.all([
          ...stores.map(from => commit(read, from)),
          save(hookOf({ event: 'post-save' }), round === 0 ? null : 1, 'a', stores.at(-1)),
          ...stores.map(from => commit(read, from)),
        ])
        expect(await commit(read)).toEqual({ kind: 'conflict' })
        expect(await revision()).toBe(read + 1)
      }
    })
  })

  describe('live hooks', () => {
    test('come in order with the live versions, in one statement', async () => {
      const statements: string[] = []
      const counted = await harness.open({ url, onStatement: sql => statements.push(sql) })
      const late = await savedHook({ position: 7, scopes: ['cases:read'] })
      const early = await savedHook({ position: 1, functionId: await saveNamed('compute', 'old') })
      await saveNamed('compute', 'new')
      const same = await savedHook({ position: 1 })
      await savedHook({ enabled: false })
      await savedHook({ event: 'post-save' })
      await savedHook({ caseTypeCode: 'request' })
      statements.length = 0
      const live = await counted.hooks.findLive('a', 'incident', ['pre-save', 'pre-save'])
      expect(statements.filter(sql => !/data_version/.test(sql))).toHaveLength(1)
      expect(live.map(({ id }) => id)).toEqual([early.id, same.id, late.id])
      expect(live[0]).toEqual({
        id: early.id,
        event: 'pre-save',
        functionId: early.functionId,
        functionName: 'compute',
        hash: versionOf('new').hash,
        sourceCode: 'new',
        scopes: [],
      })
      expect(live[2]?.scopes).toEqual(['cases:read'])
    })
  })

  describe('the maximum counts', () => {
    test('hooks of a type and event, disabled ones included', async () => {
      for (let count = 0; count < maxHooks; count++) await savedHook({ enabled: count % 2 === 0 })
      const before = await revision()
      await expect(save(hookOf())).rejects.toMatchObject({ code: 'CONFLICT' })
      await expect(save(hookOf({ caseTypeCode: 'incident' }))).rejects.toMatchObject({ code: 'CONFLICT' })
      expect(await revision()).toBe(before)
      const other = await savedHook({ event: 'pre-delete' })
      await expect(save(hookOf(), other.id)).rejects.toMatchObject({ code: 'CONFLICT' })
      await savedHook({ position: 3 }, 1)
      await store.hooks.remove(by('a'), 1)
      await savedHook({}, other.id)
    })

    test('tasks of a type', async () => {
      for (let count = 0; count < maxTasks; count++) await saveTask(taskOf({ name: `t${count}` }))
      await expect(saveTask(taskOf())).rejects.toMatchObject({ code: 'CONFLICT' })
      expect(await saveTask(taskOf({ name: 'renamed' }), 1)).toMatchObject({ id: expect.any(Number) })
      expect(await saveTask(taskOf({ caseTypeCode: 'request' }))).toMatchObject({ id: expect.any(Number) })
    })

    test('hooks saved at once are counted exactly, by every gateway', async () => {
      const stores = await gateways()
      const other = await savedHook({ caseTypeCode: 'request' })
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) => {
          const from = stores[index % stores.length] ?? store
          return save(hookOf(), index === 10 ? other.id : null, 'a', from)
        }),
      )
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(maxHooks)
      expect(await store.hooks.list('a', ofType('incident'), 100)).toHaveLength(maxHooks)
      expect(await revision()).toBeGreaterThanOrEqual(maxHooks)
    })
  })

  describe('a case task', () => {
    test('is saved, changed, listed and removed, without another revision of its type', async () => {
      const saved = await saveTask(taskOf({ scopes: ['cases:write'] }))
      expect(saved).toEqual({ id: 1, ...taskOf({ scopes: ['cases:write'] }) })
      const before = await revision()
      const changed = { id: 1, ...taskOf({ name: 'sort', enabled: false }) }
      expect(await saveTask(taskOf({ name: 'sort', enabled: false }), 1)).toEqual(changed)
      expect(await store.caseTasks.list('a', ofType(null), 10)).toEqual([changed])
      expect(await store.caseTasks.list('a', ofType('request'), 10)).toEqual([])
      await expect(store.caseTasks.remove(by('b'), 1)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(await store.caseTasks.remove(by('a'), 1)).toEqual(changed)
      expect(await revision()).toBe(before)
    })

    test('has a name that no other task of its type has', async () => {
      await saveTask(taskOf())
      const duplicate = { code: 'CONFLICT', reason: 'NAME_TAKEN', facts: { existingId: 1 } }
      await expect(saveTask(taskOf())).rejects.toMatchObject(duplicate)
      const other = await saveTask(taskOf({ name: 'sort' }))
      await expect(saveTask(taskOf(), other.id)).rejects.toMatchObject(duplicate)
      expect(await saveTask(taskOf({ position: 1 } as Partial<CaseTaskInput>), 1)).toMatchObject({})
      expect(await saveTask(taskOf({ caseTypeCode: 'request' }))).toMatchObject({ id: expect.any(Number) })
    })

    test('saved at once under one name is saved once', async () => {
      const stores = await gateways()
      const results = await Promise.allSettled(
        Array.from({ length: 10 }, (_, index) =>
          saveTask(taskOf(), null, 'a', stores[index % stores.length] ?? store),
        ),
      )
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const refused = results.flatMap(each => (each.status === 'rejected' ? [each.reason.reason] : []))
      expect(refused).toEqual(Array(9).fill('NAME_TAKEN'))
    })

    test('is found to run with its live version, if it is enabled', async () => {
      await saveTask(taskOf({ scopes: ['cases:read'] }))
      await saveNamed('check', '2')
      expect(await store.caseTasks.findRunnable('a', 'incident', 'triage')).toEqual({
        id: 1,
        name: 'triage',
        functionId,
        functionName: 'check',
        hash: versionOf('2').hash,
        sourceCode: '2',
        scopes: ['cases:read'],
      })
      expect(await store.caseTasks.findRunnable('b', 'incident', 'triage')).toBeNull()
      expect(await store.caseTasks.findRunnable('a', 'request', 'triage')).toBeNull()
      await saveTask(taskOf({ enabled: false }), 1)
      expect(await store.caseTasks.findRunnable('a', 'incident', 'triage')).toBeNull()
    })
  })

  describe('a function that triggers use', () => {
    test('is not removed, and its triggers are named', async () => {
      await savedHook()
      await savedHook({ event: 'post-save', enabled: false })
      await saveTask(taskOf())
      await expect(store.functions.remove(by('a'), functionId)).rejects.toMatchObject({
        reason: 'IN_USE',
        message: expect.stringContaining(
          'is used by hook `1` (`incident`, `pre-save`), hook `2` (`incident`, `post-save`), ' +
            'case task `triage` (`incident`).',
        ),
      })
      await store.hooks.remove(by('a'), 1)
      await store.hooks.remove(by('a'), 2)
      await store.caseTasks.remove(by('a'), 1)
      expect(await store.functions.remove(by('a'), functionId)).toMatchObject({ id: functionId })
    })

    test('is removed or hooked, never both, when both are asked at once', async () => {
      const stores = await gateways()
      for (let round = 0; round < 20; round++) {
        functionId = await saveNamed(`round-${round}`, '1')
        const [removed, ...triggers] = await Promise.allSettled<unknown>([
          (stores[round % stores.length] ?? store).functions.remove(by('a'), functionId),
          save(hookOf({ caseTypeCode: `type-${round}` })),
          saveTask(taskOf({ caseTypeCode: `type-${round}` }), null, 'a', stores.at(-1)),
        ])
        const uses = triggers.filter(({ status }) => status === 'fulfilled')
        expect(removed?.status).toBe(uses.length === 0 ? 'fulfilled' : 'rejected')
      }
    })
  })
})
