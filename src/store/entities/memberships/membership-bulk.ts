import type {
  BulkMode,
  BulkResult,
  MembershipChanges,
  MembershipStore,
} from '../../../domain/memberships/membership-store.ts'
import {
  decideAdds,
  decideMoves,
  decideRemovals,
  prepareMoves,
  type Verdict,
} from '../../../domain/memberships/memberships-bulk-decision.ts'
import {
  completeBulk,
  hasChanged,
  planBulk,
  shouldApply,
  undoBulk,
} from '../../../domain/memberships/memberships-bulk-plan.ts'
import type { Origin } from '../../../domain/port.ts'
import { storedRowBytes } from '../../../domain/store-limits.ts'
import type { Database } from '../../database.ts'
import { createSteps } from '../../steps.ts'
import type { Refusal, Work } from '../../work.ts'
import type { Parts } from '../parts.ts'
import { prepareBulkStatements } from './membership-bulk-statements.ts'

interface Dependencies extends Pick<Parts, 'provision' | 'takeNumbers' | 'stored'> {
  readonly database: Database
  /** Drops a row from the cache, in the transaction that changes it. */
  readonly forget: (accountCode: string, id: number) => void
}

/** Changes sets of rows, with as many statements for one change as for a thousand. */
export function createChangeMany(dependencies: Dependencies): MembershipStore['changeMany'] {
  const { database, provision, takeNumbers, stored, forget } = dependencies
  const statements = prepareBulkStatements(database)
  const { find: findStep } = createSteps(database)

  return (origin, changes, mode) =>
    database.change(origin, () => changeAll(origin, changes, mode), {
      hasChanged: ({ results }) => hasChanged(results),
      keepsStep: true,
    })

  function* changeAll(
    origin: Origin,
    changes: MembershipChanges,
    mode: BulkMode,
  ): Work<BulkResult | Refusal> {
    const { accountCode } = origin
    // Locks the counter until the commit, so bulks of an account run one after the other from here on: rows that one
    // of them deletes and puts back would be missing for another that waited for them. SQLite has locked all rows.
    const takesIdsFirst = database.isShared
    const adds = changes.kind === 'add' ? changes.items.length : 0
    const reservedId = takesIdsFirst ? yield* takeIds(accountCode, adds) : null
    const before = yield* findStep<BulkResult>(origin)
    if (before !== undefined) return before
    const verdicts = yield* decide(accountCode, changes)
    if (!shouldApply(verdicts, mode)) return { applied: false, results: undoBulk(verdicts) }
    return yield* apply(origin, verdicts, reservedId)
  }

  function* apply(
    origin: Origin,
    verdicts: readonly Verdict[],
    reservedId: number | null,
  ): Work<BulkResult | Refusal> {
    const { accountCode } = origin
    const plan = planBulk(verdicts)
    const addedCount = plan.added.length
    const full = yield* stored.refuse(accountCode, (addedCount + plan.moved.length) * storedRowBytes)
    if (full !== null) return full
    const firstId = reservedId ?? (addedCount === 0 ? 0 : yield* takeIds(accountCode, addedCount))
    const addedIds = plan.added.map((_, index) => firstId + index)
    const complete = completeBulk(verdicts, addedIds)
    const result = { applied: true, results: complete.results }
    for (const id of plan.gone) forget(accountCode, id)
    if (hasChanged(result.results)) yield* statements.write({ origin, plan, addedIds, complete, result })
    return result
  }

  function* takeIds(accountCode: string, count: number): Work<number> {
    yield* provision.account(accountCode)
    return yield* takeNumbers(accountCode, 'membership', count)
  }

  function* decide(accountCode: string, { kind, items }: MembershipChanges): Work<readonly Verdict[]> {
    if (kind === 'add') return decideAdds(items, yield* statements.findPairs(accountCode, items))
    const ids = items.map(({ id }) => id)
    const rows = yield* statements.findRows(accountCode, ids)
    if (kind === 'remove') return decideRemovals(items, rows)
    const moves = prepareMoves(items, rows)
    const pairs = moves.flatMap(move => (move.kind === 'moved' ? move.membership : []))
    return decideMoves(moves, yield* statements.findPairs(accountCode, pairs))
  }
}
