import {
  conditionNotMet,
  functionInUse,
  noFunction,
  noVersion,
  tooManyFunctions,
} from '../../../domain/functions/function-refusals.ts'
import type {
  FunctionName,
  FunctionStore,
  IfLive,
  NewVersion,
  StoredFunction,
} from '../../../domain/functions/function-store.ts'
import { storedRowBytes } from '../../../domain/store-limits.ts'
import type { Database } from '../../database.ts'
import { all, first, only, Refusal, refuse, unread, type Work } from '../../work.ts'
import type { Parts } from '../parts.ts'
import { prepareFunctionStatements, selectRemoved } from './function-statements.ts'
import { createVersions, toVersion } from './function-versions.ts'

// Number of earlier live versions to which a function can be rolled back.
const maxEarlierLive = 10

export function createFunctionStore(database: Database, parts: Parts): FunctionStore {
  const { change, read, isShared } = database
  const { provision, takeNumbers, stored, triggerLookUps } = parts
  const statements = prepareFunctionStatements(database)
  const versions = createVersions(database, parts)
  const { functions, removedFunctions } = database.tables
  const { forget, ...reads } = database.findByIds(functions, statements.selection, { decode: toFunction })
  const removed = database.findByIds(removedFunctions, selectRemoved(database.tables), { decode: toFunction })
  const noCode = (caseTypeCode: string | null) => caseTypeCode ?? ''

  // An account that adds a function holds its counter until the commit, so the second look finds one that another
  // gateway has just added, and the count is exact.
  function* insertFunction(
    accountCode: string,
    name: string,
    caseTypeCode: string,
    maxFunctions: number,
  ): Work<LockedFunction | Refusal> {
    const given = { accountCode, name, caseTypeCode }
    const id = yield* takeNumbers(accountCode, 'function')
    const existing = yield* first(statements.lockByName, given)
    if (existing !== undefined) return existing
    const { count } = yield* only(statements.count, { accountCode })
    if (count >= maxFunctions) return refuse(tooManyFunctions(maxFunctions))
    const full = yield* stored.add(accountCode, storedRowBytes)
    return full ?? (yield* only(statements.insert, { ...given, id, liveVersionId: 0 }))
  }

  // Compares a condition with the live version of a locked function. Returns null if it is met.
  function* compareLive(
    accountCode: string,
    row: FunctionRow | undefined,
    which: number | FunctionName,
    ifLive: IfLive,
  ): Work<Refusal | null> {
    if (ifLive === null) return null
    if (row === undefined) return ifLive.length === 0 ? null : refuse(conditionNotMet(which, null))
    const liveHash = yield* versions.hashOf(accountCode, row.liveVersionId)
    const isMet = ifLive.includes(liveHash) || ifLive.includes('*')
    return isMet ? null : refuse(conditionNotMet(which, liveHash))
  }

  // SQLite undoes nothing, so it looks before the first write; its lock makes the look exact.
  function* refuseWhenFull(
    accountCode: string,
    existing: FunctionRow | undefined,
    { hash, sourceBytes }: NewVersion,
    maxFunctions: number,
  ): Work<Refusal | null> {
    if (isShared) return null
    if (existing === undefined) {
      const { count } = yield* only(statements.count, { accountCode })
      if (count >= maxFunctions) return refuse(tooManyFunctions(maxFunctions))
      return yield* stored.refuse(accountCode, sourceBytes + 2 * storedRowBytes)
    }
    const isKnown = (yield* versions.find(accountCode, existing.id, hash)) !== undefined
    return isKnown ? null : yield* stored.refuse(accountCode, sourceBytes + storedRowBytes)
  }

  function* lockByName(accountCode: string, { name, caseTypeCode }: FunctionName) {
    return yield* first(statements.lockByName, { accountCode, name, caseTypeCode: noCode(caseTypeCode) })
  }

  // Locks the function of a version, or adds it without a live version.
  function* lockForSave(
    accountCode: string,
    version: NewVersion,
    maxFunctions: number,
  ): Work<LockedFunction | Refusal> {
    const { name, caseTypeCode, ifLive = null } = version
    const existing = yield* lockByName(accountCode, version)
    const refusal =
      (yield* compareLive(accountCode, existing, version, ifLive)) ??
      (yield* refuseWhenFull(accountCode, existing, version, maxFunctions))
    if (refusal !== null) return refusal
    yield* provision.account(accountCode)
    if (existing !== undefined) {
      yield* raiseRevisions(accountCode, existing, version)
      return existing
    }
    const added = yield* insertFunction(accountCode, name, noCode(caseTypeCode), maxFunctions)
    if (added instanceof Refusal) return added
    // Another gateway may have added the function since the first look.
    const isNew = added.liveVersionId === 0
    if (!isNew) yield* raiseRevisions(accountCode, added, version)
    return (isNew ? null : yield* compareLive(accountCode, added, version, ifLive)) ?? added
  }

  // Locks the types before the counters of the account, as saves of their cases do. The same source again is no other
  // live version.
  function* raiseRevisions(accountCode: string, { id, liveVersionId }: LockedFunction, version: NewVersion) {
    if (!version.makeLive) return
    const known = yield* versions.find(accountCode, id, version.hash)
    if (known?.id !== liveVersionId) yield* unread(statements.raiseRevisions, { accountCode, id })
  }

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
    for (const lookUp of triggerLookUps) triggers.push(...(yield* lookUp(accountCode, functionId)))
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
      // The version comes from a left join, so it can be missing.
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
  readonly earlierLiveIds: readonly number[] | null
  readonly prunedToId: number
}

function toFunction({ id, name, caseTypeCode, liveVersionId, createdAt }: FunctionRow): StoredFunction {
  return { id, name, caseTypeCode: caseTypeCode || null, liveVersionId, createdAt: createdAt ?? null }
}

// The time is a text if the row was stored as the result of an idempotency step.
function withTime(row: StoredFunction): StoredFunction {
  return { ...row, createdAt: row.createdAt && new Date(row.createdAt) }
}
