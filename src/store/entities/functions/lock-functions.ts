import { conditionNotMet, tooManyFunctions } from '../../../domain/functions/function-refusals.ts'
import type { FunctionName, IfLive, NewVersion } from '../../../domain/functions/function-store.ts'
import { storedRowBytes } from '../../../domain/store-limits.ts'
import type { Database } from '../../database.ts'
import { first, only, Refusal, refuse, unread, type Work } from '../../work.ts'
import type { Parts } from '../parts.ts'
import { type FunctionRow, type LockedFunction, toTypeColumn } from './function-rows.ts'
import type { FunctionStatements } from './function-statements.ts'
import type { Versions } from './function-versions.ts'

interface Using {
  readonly statements: FunctionStatements
  readonly versions: Versions
}

/** Locks functions for a change, and refuses a change whose condition they do not meet. */
export function createFunctionLocks(
  { isShared }: Pick<Database, 'isShared'>,
  { provision, takeNumbers, stored }: Parts,
  { statements, versions }: Using,
) {
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
    return yield* first(statements.lockByName, {
      accountCode,
      name,
      caseTypeCode: toTypeColumn(caseTypeCode),
    })
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
    const added = yield* insertFunction(accountCode, name, toTypeColumn(caseTypeCode), maxFunctions)
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

  return { compareLive, lockByName, lockForSave }
}
