import type { Database as Client } from 'better-sqlite3'
import { decideBulk, type Verdict } from '../../../domain/memberships/memberships-bulk-decision.ts'
import {
  completeBulk,
  hasChanged,
  isToApply,
  planBulk,
  undoBulk,
} from '../../../domain/memberships/memberships-bulk-plan.ts'
import type {
  BulkMode,
  BulkResult,
  Membership,
  MembershipChange,
  MembershipPair,
  MembershipStore,
  Origin,
} from '../../../domain/store.ts'
import type { Database } from '../../database.ts'
import type { TakeNumbers } from '../../entities/counters.ts'
import type { Work } from '../../work.ts'
import { type FoundRow, prepareBulkStatements } from './membership-bulk-statements.ts'

interface Dependencies {
  readonly database: Database
  readonly client: Client
  readonly takeNumbers: TakeNumbers
  /** Drops a row from the cache, in the transaction that changes it. */
  readonly forget: (accountCode: string, id: number) => void
}

export function createChangeMany(dependencies: Dependencies): MembershipStore['changeMany'] {
  const { database, client, takeNumbers, forget } = dependencies
  const statements = prepareBulkStatements(client)

  // The transaction has the write lock, so all stays as it is found until it is changed here.
  return (origin, changes, mode) =>
    database.change(origin, () => changeAll(origin, changes, mode), {
      hasChanged: ({ results }) => hasChanged(results),
    })

  function* changeAll(
    origin: Origin,
    changes: readonly MembershipChange[],
    mode: BulkMode,
  ): Work<BulkResult> {
    const ids = changes.flatMap(change => (change.kind === 'add' ? [] : change.id))
    const rows = ids.length === 0 ? [] : statements.findRows(origin.accountCode, ids)
    const verdicts = decide(origin.accountCode, changes, rows)
    if (!isToApply(verdicts, mode)) return { applied: false, results: undoBulk(verdicts) }
    return { applied: true, results: yield* apply(origin, verdicts, rows) }
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

  function* apply(origin: Origin, verdicts: readonly Verdict[], rows: readonly FoundRow[]) {
    const { accountCode } = origin
    const plan = planBulk(verdicts)
    statements.provision(accountCode, plan)
    if (plan.gone.length > 0) {
      for (const id of plan.gone) forget(accountCode, id)
      statements.remove(accountCode, plan.gone)
      statements.putBack(accountCode, withTimes(plan.moved, rows))
    }
    const addedIds = plan.added.length > 0 ? yield* add(accountCode, plan.added) : []
    const { results, events } = completeBulk(verdicts, addedIds)
    if (events.length > 0) {
      const firstSequence = yield* takeNumbers(accountCode, 'membership event', events.length)
      statements.addEvents(origin, firstSequence, events)
    }
    return results
  }

  function* add(accountCode: string, pairs: readonly MembershipPair[]) {
    const firstId = yield* takeNumbers(accountCode, 'membership', pairs.length)
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
