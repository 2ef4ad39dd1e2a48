import type {
  ConditionNotMet,
  FunctionName,
  FunctionStore,
  IfLive,
  NewVersion,
  StoredFunction,
} from '../../../domain/functions/function-store.ts'
import { storedRowBytes } from '../../../domain/store-limits.ts'
import type { Database } from '../../database.ts'
import { all, first, only, type Work } from '../../work.ts'
import type { Parts } from '../parts.ts'
import { prepareFunctionStatements, selectFunction } from './function-statements.ts'
import { createVersions, toVersion } from './function-versions.ts'

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

  // Compares a condition with the live version of a locked function. Returns null if it is met.
  function* compareLive(
    accountCode: string,
    row: FunctionRow | undefined,
    ifLive: IfLive,
  ): Work<ConditionNotMet | null> {
    if (ifLive === null) return null
    if (row === undefined) return ifLive.length === 0 ? null : { kind: 'not met', liveHash: null }
    const liveHash = yield* versions.hashOf(accountCode, row.liveVersionId)
    return ifLive.includes(liveHash) || ifLive.includes('*') ? null : { kind: 'not met', liveHash }
  }

  function* lockByName(accountCode: string, { name, caseTypeCode }: FunctionName) {
    return yield* first(statements.lockByName, { accountCode, name, caseTypeCode: noCode(caseTypeCode) })
  }

  // Locks the function of a version, or adds it without a live version.
  function* lockForSave(
    accountCode: string,
    version: NewVersion,
    maxFunctions: number,
  ): Work<LockedFunction | ConditionNotMet | { readonly kind: 'full' }> {
    const { name, caseTypeCode, ifLive = null } = version
    const existing = yield* lockByName(accountCode, version)
    const refusal = yield* compareLive(accountCode, existing, ifLive)
    if (refusal !== null) return refusal
    yield* provision.account(accountCode)
    if (existing !== undefined) return existing
    const added = yield* insertFunction(accountCode, name, noCode(caseTypeCode), maxFunctions)
    if (added === null) return { kind: 'full' }
    // Another gateway may have added the function since the first look.
    const isNew = added.liveVersionId === 0
    return (isNew ? null : yield* compareLive(accountCode, added, ifLive)) ?? added
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
    async save(origin, version, limits) {
      const result = await change(
        origin,
        function* () {
          const { accountCode } = origin
          const found = yield* lockForSave(accountCode, version, limits.functions)
          if ('kind' in found) return found
          const versionId = yield* versions.add(origin, found.id, version)
          const isNew = found.liveVersionId === 0
          const saved = version.makeLive || isNew ? yield* setLive(accountCode, found, versionId) : found
          yield* prune(accountCode, saved, versionId, limits.versions)
          return { kind: 'saved', function: toFunction(saved), isNew } as const
        },
        { hasChanged: ({ kind }) => kind === 'saved' },
      )
      return result.kind === 'saved' ? { ...result, function: withTime(result.function) } : result
    },
    async makeLive(origin, id, hash) {
      const result = await change(
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
      )
      return result.kind === 'made live' ? { ...result, function: withTime(result.function) } : result
    },
    async remove(origin, which, ifLive = null) {
      const { accountCode } = origin
      const result = await change(
        origin,
        function* () {
          const found =
            typeof which === 'number'
              ? yield* first(statements.lock, { accountCode, id: which })
              : yield* lockByName(accountCode, which)
          if (found === undefined) return { kind: 'missing' } as const
          const refusal = yield* compareLive(accountCode, found, ifLive)
          if (refusal !== null) return refusal
          const { id } = found
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
      return {
        kind: 'removed',
        function: { ...withTime(result.function), removedLive: toVersion(result.live) },
      }
    },
    async findByName(accountCode, { name, caseTypeCode }) {
      const values = { accountCode, name, caseTypeCode: noCode(caseTypeCode) }
      const [found] = await read(statements.findByName, values)
      return found === undefined ? null : toFunction(found)
    },
    async findExact(accountCode, { name, caseTypeCode }) {
      const values = { accountCode, name, caseTypeCode: noCode(caseTypeCode) }
      const [found] = await read(statements.findExact, values)
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

interface FunctionRow extends Pick<StoredFunction, 'id' | 'name' | 'liveVersionId'> {
  readonly caseTypeCode: string
  /** Undefined for a function that was removed. */
  readonly createdAt?: Date
}

interface LockedFunction extends FunctionRow {
  readonly earlierLiveIds: string | null
  readonly prunedToId: number
}

function listEarlierLive({ earlierLiveIds }: LockedFunction): readonly number[] {
  return earlierLiveIds === null ? [] : JSON.parse(earlierLiveIds)
}

function toFunction({ id, name, caseTypeCode, liveVersionId, createdAt }: FunctionRow): StoredFunction {
  return { id, name, caseTypeCode: caseTypeCode || null, liveVersionId, createdAt: createdAt ?? null }
}

// Its time is text if the row was kept as the result of an idempotency step.
function withTime(row: StoredFunction): StoredFunction {
  return { ...row, createdAt: row.createdAt && new Date(row.createdAt) }
}
