import type { FunctionStore, StoredFunction } from '../../../domain/functions/function-store.ts'
import { storedRowBytes } from '../../../domain/store-limits.ts'
import type { Database } from '../../database.ts'
import { all, first, only, type Work } from '../../work.ts'
import type { Parts } from '../entities.ts'
import { prepareFunctionStatements, selectFunction } from './function-statements.ts'
import { createVersions, toVersion } from './function-versions.ts'

/** The names of the triggers that use a function, such as `hook 3 (incident, pre-save)`. */
export type FindTriggers = (accountCode: string, functionId: number) => Work<readonly string[]>

// Versions that were live before the present one, to which a function can be rolled back.
const maxEarlierLive = 10

export function createFunctionStore(database: Database, parts: Parts): FunctionStore {
  const { change, read } = database
  const { provision, takeNumbers, stored, triggerLookUps } = parts
  const statements = prepareFunctionStatements(database)
  const versions = createVersions(database, parts)
  const { functions, removedFunctions } = database.tables
  const { forget, ...reads } = database.findByIds(functions, statements.selection)
  const removed = database.findByIds(removedFunctions, selectFunction(removedFunctions))
  const noCode = (caseTypeCode: string | null) => caseTypeCode ?? ''

  // An account that adds a function holds its counter until the commit, so the second look finds one that another
  // gateway has just added, and the count is exact.
  function* insertFunction(accountCode: string, name: string, caseTypeCode: string, maxFunctions: number) {
    const given = { accountCode, name, caseTypeCode }
    const id = yield* takeNumbers(accountCode, 'function')
    const existing = yield* first(statements.lockByName, given)
    if (existing !== undefined) return existing
    const { count } = yield* only(statements.count, { accountCode })
    if (count >= maxFunctions) return null
    yield* stored.add(accountCode, storedRowBytes)
    return yield* only(statements.insert, { ...given, id })
  }

  function* setLive(accountCode: string, found: LockedFunction, versionId: number): Work<LockedFunction> {
    const { id, liveVersionId } = found
    forget(accountCode, id)
    const earlier = [liveVersionId, ...listEarlierLive(found)].filter(
      each => each !== versionId && each !== 0,
    )
    const earlierLiveIds = JSON.stringify([...new Set(earlier)].slice(0, maxEarlierLive))
    return yield* only(statements.setLive, { accountCode, id, versionId, earlierLiveIds })
  }

  function* prune(accountCode: string, row: LockedFunction, versionId: number, maxVersions: number) {
    const { id, liveVersionId, prunedToId } = row
    const keptIds = [versionId, liveVersionId, ...listEarlierLive(row)]
    const pruning = { accountCode, functionId: id, keptIds, prunedToId }
    const nextId = yield* versions.prune(pruning, maxVersions)
    if (nextId !== prunedToId) yield* all(statements.setPrunedTo, { accountCode, id, prunedToId: nextId })
  }

  function* findTriggers(accountCode: string, functionId: number): Work<readonly string[]> {
    const triggers: string[] = []
    for (const lookUp of triggerLookUps) triggers.push(...(yield* lookUp(accountCode, functionId)))
    return triggers
  }

  return {
    ...versions.store,
    findByIds: async (accountCode, ids) => (await reads.findByIds(accountCode, ids)).map(toFunction),
    removed: {
      findByIds: async (accountCode, ids) => (await removed.findByIds(accountCode, ids)).map(toFunction),
    },
    save: (origin, version, limits) =>
      change(
        origin,
        function* () {
          const { accountCode } = origin
          const { name, makeLive } = version
          const caseTypeCode = noCode(version.caseTypeCode)
          yield* provision.account(accountCode)
          const found =
            (yield* first(statements.lockByName, { accountCode, name, caseTypeCode })) ??
            (yield* insertFunction(accountCode, name, caseTypeCode, limits.functions))
          if (found === null) return { kind: 'full' } as const
          const versionId = yield* versions.add(origin, found.id, version)
          const isFirst = found.liveVersionId === 0
          const saved = makeLive || isFirst ? yield* setLive(accountCode, found, versionId) : found
          yield* prune(accountCode, saved, versionId, limits.versions)
          return { kind: 'saved', function: toFunction(saved) } as const
        },
        { hasChanged: ({ kind }) => kind === 'saved' },
      ),
    makeLive: (origin, id, hash) =>
      change(
        origin,
        function* () {
          const { accountCode } = origin
          const found = yield* first(statements.lock, { accountCode, id })
          if (found === undefined) return { kind: 'missing', what: 'function' } as const
          const version = yield* versions.find(accountCode, id, hash)
          if (version === undefined) return { kind: 'missing', what: 'version' } as const
          const changed = yield* setLive(accountCode, found, version.id)
          return { kind: 'made live', function: toFunction(changed) } as const
        },
        { hasChanged: ({ kind }) => kind === 'made live' },
      ),
    async remove(origin, id) {
      const { accountCode } = origin
      const result = await change(
        origin,
        function* () {
          const found = yield* first(statements.lock, { accountCode, id })
          if (found === undefined) return { kind: 'missing' } as const
          const triggers = yield* findTriggers(accountCode, id)
          if (triggers.length > 0) return { kind: 'used', triggers } as const
          const live = yield* versions.read(accountCode, found.liveVersionId)
          forget(accountCode, id)
          // Runs may refer to it that are not written yet. The sweep looks for them later.
          yield* all(statements.keepRemoved, { accountCode, id })
          yield* all(statements.delete, { accountCode, id })
          return { kind: 'removed', function: toFunction(found), live } as const
        },
        { hasChanged: ({ kind }) => kind === 'removed' },
      )
      if (result.kind !== 'removed') return result
      return { kind: 'removed', function: { ...result.function, removedLive: toVersion(result.live) } }
    },
    async findByName(accountCode, { name, caseTypeCode }) {
      const values = { accountCode, name, caseTypeCode: noCode(caseTypeCode) }
      const [found] = await read(statements.findByName, values)
      return found === undefined ? null : toFunction(found)
    },
    async findRunnable(accountCode, { name, caseTypeCode }, hash) {
      const values = { accountCode, name, caseTypeCode: noCode(caseTypeCode), hash }
      const [found] = await read(statements.findRunnable, values)
      if (found === undefined) return { kind: 'missing', what: 'function' }
      // The version comes by a left join.
      if ((found.hash as string | null) === null) return { kind: 'missing', what: 'version' }
      return { kind: 'found', runnable: { ...found, caseTypeCode: found.caseTypeCode || null } }
    },
    async findLive(accountCode, id) {
      const [found] = await read(statements.findLive, { accountCode, id })
      return found === undefined ? null : { ...found, caseTypeCode: found.caseTypeCode || null }
    },
    listAfter: async (accountCode, id, limit) =>
      (await read(statements.listAfter, { accountCode, id, limit })).map(toFunction),
  }
}

interface FunctionRow extends Omit<StoredFunction, 'caseTypeCode'> {
  readonly caseTypeCode: string
}

interface LockedFunction extends FunctionRow {
  readonly earlierLiveIds: string | null
  readonly prunedToId: number
}

function listEarlierLive({ earlierLiveIds }: LockedFunction): readonly number[] {
  return earlierLiveIds === null ? [] : JSON.parse(earlierLiveIds)
}

function toFunction({ id, name, caseTypeCode, liveVersionId }: FunctionRow): StoredFunction {
  return { id, name, caseTypeCode: caseTypeCode || null, liveVersionId }
}
