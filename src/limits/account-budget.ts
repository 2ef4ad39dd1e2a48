import { RostrumError } from '../errors.ts'

export interface BudgetLimits {
  /** The maximum of one account. */
  readonly account: number
  /** The maximum of all accounts together. */
  readonly total: number
  /** The amount that each account may always hold, so that a few accounts cannot use up the total. */
  readonly share?: number
}

/** The beginning of the refusal, such as `Unread answers of 33554432 bytes`, and the time to retry after. */
export interface BudgetWording {
  readonly describe: (held: number) => string
  readonly retryAfterSeconds: number
}

/**
 * Counts how much of one resource each account holds, in bytes or slots. `hold` throws `OVERLOADED` if that would
 * exceed a limit. Release everything held with the same arguments.
 */
export class AccountBudget {
  readonly #limits: BudgetLimits
  readonly #wording: BudgetWording
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(limits: BudgetLimits, wording: BudgetWording) {
    this.#limits = limits
    this.#wording = wording
  }

  get total(): number {
    return this.#total
  }

  heldBy(accountCode: string): number {
    return this.#held.get(accountCode) ?? 0
  }

  hold(accountCode: string, amount: number): void {
    this.refuseBeyond(accountCode, amount)
    this.add(accountCode, amount)
  }

  /** Throws like `hold` of this amount, without holding it. */
  refuseBeyond(accountCode: string, amount: number): void {
    const held = this.heldBy(accountCode)
    if (held + amount > this.#limits.account) throw this.#overloaded(held, 'this account')
    const { total, share = 0 } = this.#limits
    if (this.#total + amount > total && held + amount > share) {
      throw this.#overloaded(this.#total, 'all accounts')
    }
  }

  /** Holds an amount that can no longer be refused, even past the limits. */
  add(accountCode: string, amount: number): void {
    this.#held.set(accountCode, this.heldBy(accountCode) + amount)
    this.#total += amount
  }

  /** The account that holds the most; undefined if nothing is held. */
  findLargest(): string | undefined {
    let largest: string | undefined
    for (const accountCode of this.#held.keys())
      if (largest === undefined || this.heldBy(accountCode) > this.heldBy(largest)) largest = accountCode
    return largest
  }

  release(accountCode: string, amount: number): void {
    const held = this.heldBy(accountCode) - amount
    if (held > 0) this.#held.set(accountCode, held)
    else this.#held.delete(accountCode)
    this.#total -= amount
  }

  #overloaded(held: number, owner: string): RostrumError {
    const { describe, retryAfterSeconds } = this.#wording
    return new RostrumError(
      'OVERLOADED',
      `${describe(held)} of ${owner} are held already, about the maximum. Try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    )
  }
}
