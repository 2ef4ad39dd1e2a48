import { decideBulk, type Verdict } from '../../domain/memberships-bulk-decision.ts'
import {
  completeBulk,
  hasChanged,
  isToApply,
  planBulk,
  undoBulk,
} from '../../domain/memberships-bulk-plan.ts'
import type {
  BulkResult,
  Membership,
  MembershipChange,
  MembershipPair,
  MembershipStore,
  Origin,
} from '../../domain/store.ts'
import type { SqliteDb } from './connect.ts'
import type { Counters } from './counters.ts'
import type { KeptRows } from './kept-rows.ts'
import { type FoundRow, prepareBulkStatements } from './membership-bulk-statements.ts'
import type { Once } from './once.ts'
import type { Transactions } from './transactions.ts'

interface Dependencies {
  readonly db: SqliteDb
  readonly transactions: Transactions
  readonly counters: Counters
  readonly keptRows: KeptRows<Membership>
  readonly once: Once
}

export function createChangeMany(dependencies: Dependencies): MembershipStore['changeMany'] {
  const { db, transactions, counters, keptRows, once } = dependencies
  const statements = prepareBulkStatements(db)

  // The transaction has the write lock, so all stays as it is found until it is changed here.
  return (origin, changes, mode) => {
    const work = (): BulkResult => {
      const ids = changes.flatMap(change => (change.kind === 'add' ? [] : change.id))
      const rows = ids.length === 0 ? [] : statements.findRows(origin.accountCode, ids)
      const verdicts = decide(origin.accountCode, changes, rows)
      if (!isToApply(verdicts, mode)) return { applied: false, results: undoBulk(verdicts) }
      return { applied: true, results: apply(origin, verdicts, rows) }
    }
    const wrote = ({ results }: BulkResult) => hasChanged(results)
    return transactions.write(() => once(origin, work, wrote), wrote)
  }

  function decide(accountCode: string, changes: readonly MembershipChange[], rows: readonly FoundRow[]) {
    const deciding = decideBulk(
      changes,
      rows.map(({ membership }) => membership),
    )
    let step = deciding.next()
    while (step.done !== true) step = deciding.next(statements.findPairs(accountCode, step.value))
    return step.value
  }

  function apply(origin: Origin, verdicts: readonly Verdict[], rows: readonly FoundRow[]) {
    const { accountCode } = origin
    const plan = planBulk(verdicts)
    statements.provision(accountCode, plan)
    if (plan.gone.length > 0) {
      for (const id of plan.gone) keptRows.forget(accountCode, id)
      statements.remove(accountCode, plan.gone)
      statements.putBack(accountCode, withTimes(plan.moved, rows))
    }
    const addedIds = plan.added.length > 0 ? add(accountCode, plan.added) : []
    const { results, events } = completeBulk(verdicts, addedIds)
    if (events.length > 0)
      statements.addEvents(origin, counters.next(accountCode, 'membership event', events.length), events)
    return results
  }

  function add(accountCode: string, pairs: readonly MembershipPair[]): number[] {
    const firstId = counters.next(accountCode, 'membership', pairs.length)
    statements.add(accountCode, firstId, pairs)
    return pairs.map((_, index) => firstId + index)
  }
}

function withTimes(moved: readonly Membership[], rows: readonly FoundRow[]): FoundRow[] {
  const ends = new Map(moved.map(membership => [membership.id, membership]))
  return rows.flatMap(({ membership: { id }, createdAt }) => {
    const membership = ends.get(id)
    return membership === undefined ? [] : { membership, createdAt }
  })
}
