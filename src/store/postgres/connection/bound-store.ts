import type { Store } from '../../../domain/store.ts'
import { AccountBudget } from '../../../limits/account-budget.ts'
import { explainFailure, outcomeUnknown } from './explain-failure.ts'
import { shares } from './shares.ts'

interface Bounds {
  /** Does the call as one of this account or share. */
  readonly runAs: <T>(owner: string, call: () => Promise<T>) => Promise<T>
  readonly ownerOfToken: (sha256: Buffer) => string
}

type Method = (...given: never[]) => Promise<unknown>

// More than a statement may take.
const maxMs = 5_000
// In an ordinary second an account has more answered; behind slow statements those beyond would only wait until they are given up. All
// accounts together: some 50 MB.
const maxCalls = { account: 2_000, total: 20_000 }
// They are answered 100 in a statement, faster than they can be sent. Who makes them is not known yet.
const maxTokenCalls = { account: 10_000, total: 10_000 }

// They wait for nothing.
const immediate: ReadonlySet<string> = new Set(['changeMark', 'onChange', 'close'])

/**
 * The store with an end to every wait, and each call counted to its account: it is answered or told of its failure within `maxMs`, and
 * refused at once while the account has as many unanswered as it may. One that is given up may still be made, so it counts until the
 * database has answered it.
 */
export function boundStore(store: Store, { runAs, ownerOfToken }: Bounds): Store {
  const calls = new AccountBudget(maxCalls, {
    describe: held => `${held} waiting database calls`,
    retryAfterSeconds: 1,
  })
  const tokenCalls = new AccountBudget(maxTokenCalls, {
    describe: held => `${held} look-ups of unknown tokens`,
    retryAfterSeconds: 1,
  })
  return boundMembers(store)

  function boundMembers<T extends object>(part: T): T {
    const members = Object.entries(part).map(([name, member]) => [name, boundMember(name, member)])
    return Object.fromEntries(members)
  }

  function boundMember(name: string, member: object | Method): unknown {
    if (immediate.has(name)) return member
    if (typeof member !== 'function') return boundMembers(member)
    return (...given: never[]) => bound(ownerOf(given[0]), () => member(...given))
  }

  // All but a few methods name their account first: by its code, or in what they are given.
  function ownerOf(first: unknown): string {
    if (typeof first === 'string') return first
    if (Buffer.isBuffer(first)) return ownerOfToken(first)
    const isObject = typeof first === 'object' && first !== null
    return isObject && 'accountCode' in first ? String(first.accountCode) : shares.gateway
  }

  async function bound(owner: string, call: () => Promise<unknown>): Promise<unknown> {
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

async function answerInTime(answer: Promise<unknown>): Promise<unknown> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(outcomeUnknown('The database took too long')), maxMs)
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
