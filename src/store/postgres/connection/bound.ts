import { AccountBudget } from '../../../limits/account-budget.ts'
import { explainFailure, outcomeUnknown } from './explain-failure.ts'
import { shares } from './shares.ts'
import type { Transactions } from './transactions.ts'

// Longer than a statement may take.
const maxMs = 5_000
// An account usually has more calls answered in a second. If statements are slow, more calls would only time out. All
// accounts together take about 50 MB.
const maxCalls = { account: 2_000, total: 20_000 }
// PostgreSQL answers 100 of them in a statement, faster than they can be sent. Nobody knows yet who makes them.
const maxTokenCalls = { account: 10_000, total: 10_000 }

/**
 * Makes a call to the store for an account or share: every statement is inside one. It answers or fails within
 * `maxMs`, and is refused at once while its owner has too many unanswered calls. A call that timed out may still be
 * executed, so it counts until the database has answered it.
 */
export type Bound = <T>(owner: string | null, call: () => Promise<T>) => Promise<T>

export function createBound({ runAs }: Transactions): Bound {
  const calls = new AccountBudget(maxCalls, {
    describe: held => `${held} waiting database calls`,
    retryAfterSeconds: 1,
  })
  const tokenCalls = new AccountBudget(maxTokenCalls, {
    describe: held => `${held} look-ups of unknown tokens`,
    retryAfterSeconds: 1,
  })
  return async (given, call) => {
    const owner = given ?? shares.gateway
    const budget = owner === shares.unknownTokens ? tokenCalls : calls
    budget.hold(owner, 1)
    const answer = runAs(owner, call).finally(() => budget.release(owner, 1))
    try {
      return await answerInTime(answer)
    } catch (error) {
      throw explainFailure(error)
    }
  }
}

async function answerInTime<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(outcomeUnknown('The database took too long')), maxMs)
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
