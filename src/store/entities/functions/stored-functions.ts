import { functionInUse, noFunction, noVersion } from '../../../domain/functions/function-refusals.ts'
import type { FunctionStore, StoredFunction } from '../../../domain/functions/function-store.ts'
import type { Database } from '../../database.ts'
import { all, first, only, Refusal, refuse, unread, type Work } from '../../work.ts'
import type { Parts } from '../parts.ts'
import { createFunctionReads } from './function-reads.ts'
import { type LockedFunction, toFunction } from './function-rows.ts'
import { prepareFunctionStatements, selectRemoved } from './function-statements.ts'
import { createVersions, toVersion } from './function-versions.ts'
import { createFunctionLocks } from './lock-functions.ts'

// Number of earlier live versions to which a function can be rolled back.
const maxEarlierLive = 10

export function createFunctionStore(database: Database, parts: Parts): FunctionStore {
  const { change } = database
  const statements = prepareFunctionStatements(database)
  const versions = createVersions(database, parts)
  const { functions, removedFunctions } = database.tables
  const { forget, ...reads } = database.findByIds(functions, statements.selection, { decode: toFunction })
  const removed = database.findByIds(removedFunctions, selectRemoved(database.tables), { decode: toFunction })
  const { compareLive, lockByName, lockForSave } = createFunctionLocks(database, parts, {
    statements,
    versions,
  })

  function* setLive(accountCode: string, found: LockedFunction, versionId: number): Work<LockedFunction> {
    const { id } = found
    forget(accountCode, id)
    const before = [found.liveVersionId, ...(found.earlierLiveIds ?? [])]
    const earlier = before.filter(each => each !== versionId && each !== 0)
    const earlierLiveIds = [...new Set(earlier)].slice(0, maxEarlierLive)
    return yield* only(statements.setLive, { accountCode, id, liveVersionId: versionId, earlierLiveIds })
  }

  function* prune(accountCode: string, row: LockedFunction, versionId: number, maxVersions: number) {
    const { id, liveVersionId, prunedToId } = row
    const keptIds = [versionId, liveVersionId, ...(row.earlierLiveIds ?? [])]
    const pruning = { accountCode, functionId: id, keptIds, prunedToId }
    const nextId = yield* versions.prune(pruning, maxVersions)
    if (nextId !== prunedToId) yield* all(statements.setPrunedTo, { accountCode, id, prunedToId: nextId })
  }

  function* findTriggers(accountCode: string, functionId: number): Work<readonly string[]> {
    const triggers: string[] = []
    for (const lookUp of parts.triggerLookUps) triggers.push(...(yield* lookUp(accountCode, functionId)))
    return triggers
  }

  return {
    ...versions.store,
    findByIds: reads.findByIds,
    removed: { findByIds: removed.findByIds },
    async save(origin, version, limits) {
      const saved = await change(origin, function* () {
        const { accountCode } = origin
        const found = yield* lockForSave(accountCode, version, limits.functions)
        if (found instanceof Refusal) return found
        const versionId = yield* versions.add(origin, found.id, version)
        if (versionId instanceof Refusal) return versionId
        const isNew = found.liveVersionId === 0
        const row = version.makeLive || isNew ? yield* setLive(accountCode, found, versionId) : found
        yield* prune(accountCode, row, versionId, limits.versions)
        return { function: toFunction(row), isNew }
      })
      return { function: withTime(saved.function), isNew: saved.isNew }
    },
    async makeLive(origin, id, { hash, ifLive = null }) {
      const made = await change(origin, function* () {
        const { accountCode } = origin
        const found = yield* first(statements.lock, { accountCode, id })
        if (found === undefined) return refuse(noFunction(id))
        const refusal = yield* compareLive(accountCode, found, id, ifLive)
        if (refusal !== null) return refusal
        const version = yield* versions.find(accountCode, id, hash)
        if (version === undefined) return refuse(noVersion(hash))
        if (version.id !== found.liveVersionId) yield* unread(statements.raiseRevisions, { accountCode, id })
        return { function: toFunction(yield* setLive(accountCode, found, version.id)) }
      })
      return withTime(made.function)
    },
    async remove(origin, which, ifLive = null) {
      const { accountCode } = origin
      const gone = await change(origin, function* () {
        const found =
          typeof which === 'number'
            ? yield* first(statements.lock, { accountCode, id: which })
            : yield* lockByName(accountCode, which)
        if (found === undefined) return refuse(noFunction(which))
        const refusal = yield* compareLive(accountCode, found, which, ifLive)
        if (refusal !== null) return refusal
        const { id } = found
        const triggers = yield* findTriggers(accountCode, id)
        if (triggers.length > 0) return refuse(functionInUse(which, triggers))
        const live = yield* versions.read(accountCode, found.liveVersionId)
        forget(accountCode, id)
        // Runs may refer to it that are not written yet. The sweep looks for them later.
        yield* all(statements.keepRemoved, { accountCode, id })
        yield* all(statements.delete, { accountCode, id })
        return { function: toFunction(found), live }
      })
      return { ...withTime(gone.function), removedLive: toVersion(gone.live) }
    },
    ...createFunctionReads(database, statements),
  }
}

// The time is a text if the row was stored as the result of an idempotency step.
function withTime(row: StoredFunction): StoredFunction {
  return { ...row, createdAt: row.createdAt && new Date(row.createdAt) }
}
