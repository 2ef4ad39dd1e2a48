import { decideBulk, type Verdict } from '../../domain/memberships-bulk-decision.ts'
import {
  completeBulk,
  hasChanged,
  isToApply,
  planBulk,
  undoBulk,
} from '../../domain/memberships-bulk-plan.ts'
import type { BulkResult, Membership, MembershipChange, MembershipStore, Origin } from '../../domain/store.ts'
import type { SqliteDb } from './connect.ts'
import type { Counters } from './counters.ts'
import type { KeptRows } from './kept-rows.ts'
import { type FoundRow, prepareBulkStatements } from './membership-bulk-statements.ts'
import type { Once } from './once.ts'
import type { Provision } from './provision.ts'
import type { Transactions } from './transactions.ts'

interface Dependencies {
  readonly db: SqliteDb
  readonly transactions: Transactions
  readonly provision: Provision
  readonly counters: Counters
  readonly keptRows: KeptRows<Membership>
  readonly once: Once
}

export function createChangeMany(dependencies: Dependencies): MembershipStore['changeMany'] {
  const { db, transactions, provision, counters, keptRows, once } = dependencies
  const statements = prepareBulkStatements(db)

  // The transaction has the write lock, so all stays as it is found until it is changed here.
  return (origin, changes, mode) => {
    const work = (): BulkResult => {
      const ids = changes.flatMap(change => (change.kind === 'add' ? [] : change.id))
      const rows = statements.findRows(origin.accountCode, ids)
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
    const { gone, moved, added } = plan
    const firstId = added.length > 0 ? counters.next('membership', added.length) : 0
    const { results, events } = completeBulk(
      verdicts,
      added.map((_, index) => firstId + index),
    )
    if (events.length === 0) return results
    const ends = new Map(moved.map(membership => [membership.id, membership]))
    const putBack = rows.flatMap(({ membership: { id }, createdAt }) => {
      const membership = ends.get(id)
      return membership === undefined ? [] : { membership, createdAt }
    })
    for (const id of gone) keptRows.forget(accountCode, id)
    provision.account(accountCode)
    statements.provision(accountCode, plan)
    statements.remove(accountCode, gone)
    statements.putBack(accountCode, putBack)
    statements.add(accountCode, firstId, added)
    statements.addEvents(origin, counters.nextEvents(accountCode, events.length), events)
    return results
  }
}
