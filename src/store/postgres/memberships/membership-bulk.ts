import { decideBulk } from '../../../domain/memberships/memberships-bulk-decision.ts'
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
  MembershipChange,
  MembershipStore,
  Origin,
} from '../../../domain/store.ts'
import type { FindStep } from '../../steps.ts'
import { isUniqueViolation } from '../connection/sql-state.ts'
import type { Transactions } from '../connection/transactions.ts'
import { createBulkStatements } from './membership-bulk-statements.ts'

// How often others may take a pair between our look and our change.
const maxAttempts = 10

interface Dependencies {
  readonly transactions: Transactions
  readonly findStep: FindStep
}

/** Rejects with a unique violation, and nothing is changed, where others take a pair each time between our look and our change. */
export function createChangeMany({ transactions, findStep }: Dependencies): MembershipStore['changeMany'] {
  const statements = createBulkStatements(transactions.client)

  return async (origin, changes, mode) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await transactions.write(
          () => changeAll(origin, changes, mode),
          ({ results }) => hasChanged(results),
        )
      } catch (error) {
        if (attempt === maxAttempts || !isUniqueViolation(error)) throw error
      }
    }
  }

  // Bulks of the account run one after the other from the first statement on, so a step that is not found is made by nobody else.
  async function changeAll(
    origin: Origin,
    changes: readonly MembershipChange[],
    mode: BulkMode,
  ): Promise<BulkResult> {
    const { accountCode } = origin
    const firstId = await statements.takeIds(accountCode, changes.filter(({ kind }) => kind === 'add').length)
    const before = await findStep<BulkResult>(origin)
    if (before !== undefined) return before
    const verdicts = await decide(accountCode, changes)
    if (!isToApply(verdicts, mode)) return { applied: false, results: undoBulk(verdicts) }
    const plan = planBulk(verdicts)
    const addedIds = plan.added.map((_, index) => firstId + index)
    const complete = completeBulk(verdicts, addedIds)
    const result = { applied: true, results: complete.results }
    if (hasChanged(result.results)) await statements.write({ origin, plan, addedIds, complete, result })
    return result
  }

  async function decide(accountCode: string, changes: readonly MembershipChange[]) {
    const ids = changes.flatMap(change => (change.kind === 'add' ? [] : change.id))
    const rows = ids.length === 0 ? [] : await statements.findRows(accountCode, ids)
    const deciding = decideBulk(changes, rows)
    let step = deciding.next()
    while (step.done !== true) step = deciding.next(await statements.findPairs(accountCode, step.value))
    return step.value
  }
}
