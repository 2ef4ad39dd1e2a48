import { AccountBudget } from '../../../fairness/account-budget.ts'
import type { ShareOwner } from '../../../fairness/share-owner.ts'
import { endBefore } from '../../../signals/end-before.ts'
import { createTimeCall, type TimeCall } from '../../database.ts'
import { createAccountSlots, othersTookLong, type WithAccountSlot } from './account-slots.ts'
import { explainFailure, explainReadFailure, outcomeUnknown } from './explain-failure.ts'
import type { Pool, PoolClient } from './pool.ts'
import { shares } from './shares.ts'

// Maximum time of a call. It is longer than a statement may take.
const maxMs = 5_000
// Maximum number of unanswered calls. If statements are slow, more calls would only time out; usually an account has
// more than these answered in a second. All accounts together take about 50 MB.
const maxCalls = { account: 2_000, total: 20_000 }
// Maximum number of unanswered look-ups of tokens whose account is not known yet. PostgreSQL answers 100 of them in one
// statement, faster than they can be sent.
const maxTokenCalls = { account: 10_000, total: 10_000 }

// Maximum number of changes of an account at once. They wait for each other at the account's counters, each with a
// connection that others could use.
const maxChangesAtOnce = 4
// Maximum number of transactions of an account that several changes share. It has a slot of its own, because the slots
// of changes may be taken by some that wait for a row.
const maxSharedAtOnce = 1
// Maximum number of bulk changes of an account at once. A bulk locks the account's counters over several round trips.
// If a gateway hangs, each of its bulks would lock them until PostgreSQL ends it, one after the other.
const maxBulksAtOnce = 1

const inTime = { after: { ms: maxMs, error: () => outcomeUnknown('The database took too long') } }

/** Limits that all statements of a store share. */
export interface Calls {
  readonly pool: Pool
  /** Bounds a call that reads, and reports its time. */
  readonly read: Bound
  /** Bounds a call that changes something, and reports its time. */
  readonly write: Bound
  /** Bounds a call that is made of others, which report their times. */
  readonly bound: Bound
  readonly withAccountSlot: WithAccountSlot
  readonly withSharedSlot: WithAccountSlot
  readonly withBulkSlot: WithAccountSlot
}

/**
 * Makes a call to the store for an account or share. The call gets a client whose statements wait for the owner's turn.
 * It succeeds or fails within `maxMs`, and is refused at once if its owner has too many unanswered calls. A call that
 * timed out may still be executed, so it counts until the database has answered it.
 */
type Bound = <T>(
  owner: ShareOwner | null,
  call: (client: PoolClient) => Promise<T>,
  explain?: (error: unknown) => unknown,
) => Promise<T>

export function createCalls(pool: Pool, time: TimeCall = createTimeCall(undefined)): Calls {
  const bound = createBound(pool)
  return {
    pool,
    read: (owner, call) => time('read', () => bound(owner, call, explainReadFailure)),
    write: (owner, call) => time('write', () => bound(owner, call)),
    bound,
    withAccountSlot: createAccountSlots({ each: maxChangesAtOnce, tooLate: othersTookLong }),
    withSharedSlot: createAccountSlots({ each: maxSharedAtOnce, tooLate: othersTookLong }),
    withBulkSlot: createAccountSlots({ each: maxBulksAtOnce, tooLate: othersTookLong }),
  }
}

function createBound(pool: Pool): Bound {
  const budgetOf = (max: typeof maxCalls, what: string) =>
    new AccountBudget<ShareOwner>(max, { describe: held => `${held} ${what}`, retryAfterSeconds: 1 })
  const calls = budgetOf(maxCalls, 'waiting database calls')
  const tokenCalls = budgetOf(maxTokenCalls, 'look-ups of unknown tokens')
  return async (given, call, explain = explainFailure) => {
    const owner = given ?? shares.gateway
    const budget = owner === shares.unknownTokens ? tokenCalls : calls
    budget.reserve(owner, 1)
    const answer = call(pool.of(owner)).finally(() => budget.release(owner, 1))
    try {
      return await endBefore(answer, inTime)
    } catch (error) {
      throw explain(error)
    }
  }
}
