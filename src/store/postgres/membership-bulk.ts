import { decideBulk, type Verdict } from '../../domain/memberships-bulk-decision.ts'
import {
  completeBulk,
  hasChanged,
  isToApply,
  planBulk,
  undoBulk,
} from '../../domain/memberships-bulk-plan.ts'
import type { BulkMode, BulkResult, MembershipChange, MembershipStore, Origin } from '../../domain/store.ts'
import { createBulkStatements } from './membership-bulk-statements.ts'
import type { Once } from './once.ts'
import { isUniqueViolation } from './sql-state.ts'
import type { Transactions } from './transactions.ts'

// How often others may take a pair between our look and our change.
const mostAttempts = 10

interface Dependencies {
  readonly transactions: Transactions
  readonly once: Once
}

export function createChangeMany({ transactions, once }: Dependencies): MembershipStore['changeMany'] {
  const statements = createBulkStatements(transactions.client)

  return async (origin, changes, mode) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await tryOnce(origin, changes, mode)
      } catch (error) {
        if (attempt === mostAttempts || !isUniqueViolation(error)) throw error
      }
    }
  }

  // What changed nothing is undone, and kept for no step. A step has a transaction of its own, in which it does the work.
  async function tryOnce(origin: Origin, changes: readonly MembershipChange[], mode: BulkMode) {
    let result: BulkResult | undefined
    const work = async () => {
      result = await changeAll(origin, changes, mode)
      return hasChanged(result.results) ? result : undefined
    }
    const keep = (changed: BulkResult | undefined) => changed !== undefined
    const apart = () => transactions.write(work, keep)
    const kept = await once(origin, origin.step === null ? apart : work)
    const answer = kept ?? result
    if (answer === undefined) throw new Error('A step was neither done nor found.')
    return answer
  }

  async function changeAll(
    origin: Origin,
    changes: readonly MembershipChange[],
    mode: BulkMode,
  ): Promise<BulkResult> {
    const { accountCode } = origin
    await statements.lockAccount(accountCode)
    const verdicts = await decide(accountCode, changes)
    if (!isToApply(verdicts, mode)) return { applied: false, results: undoBulk(verdicts) }
    return { applied: true, results: await apply(origin, verdicts) }
  }

  async function decide(accountCode: string, changes: readonly MembershipChange[]) {
    const ids = changes.flatMap(change => (change.kind === 'add' ? [] : change.id))
    const rows = ids.length === 0 ? [] : await statements.findRows(accountCode, ids)
    const deciding = decideBulk(changes, rows)
    let step = deciding.next()
    while (step.done !== true) step = deciding.next(await statements.findPairs(accountCode, step.value))
    return step.value
  }

  async function apply(origin: Origin, verdicts: readonly Verdict[]) {
    const plan = planBulk(verdicts)
    if (plan.eventCount === 0) return completeBulk(verdicts, []).results
    const { addedIds, sequenceBefore } = await statements.write(origin.accountCode, plan)
    const { results, events } = completeBulk(verdicts, addedIds)
    await statements.addEvents(origin, sequenceBefore, events)
    return results
  }
}
