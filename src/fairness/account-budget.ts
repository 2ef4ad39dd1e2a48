import { overloaded, type RostrumError } from '../errors.ts'
import { OwnerCounts } from './owner-counts.ts'
import type { ShareOwner } from './share-owner.ts'

export interface BudgetLimits {
  /** Maximum amount for one account. */
  readonly account: number
  /** Maximum amount for all accounts together. */
  readonly total: number
  /** Amount that each account can always hold, so that a few accounts cannot use up the total. */
  readonly share?: number
}

/** The beginning of the error message, such as `Unread answers of 33554432 bytes`, and the seconds to retry after. */
export interface BudgetWording {
  readonly describe: (held: number) => string
  readonly retryAfterSeconds: number
}

/**
 * Counts how much of one resource each account holds, in bytes or slots. `reserve` throws `OVERLOADED` if that would
 * exceed a limit. Release every amount with the arguments that reserved it.
 */
export class AccountBudget<Owner extends ShareOwner = string> {
  readonly #limits: BudgetLimits
  readonly #wording: BudgetWording
  readonly #held = new OwnerCounts<Owner>()

  constructor(limits: BudgetLimits, wording: BudgetWording) {
    this.#limits = limits
    this.#wording = wording
  }

  get total(): number {
    return this.#held.total
  }

  reservedBy(owner: Owner): number {
    return this.#held.of(owner)
  }

  reserve(owner: Owner, amount: number): void {
    this.refuseBeyond(owner, amount)
    this.add(owner, amount)
  }

  /** Throws as `reserve` would for this amount, without reserving it. */
  refuseBeyond(owner: Owner, amount: number): void {
    const held = this.reservedBy(owner)
    if (held + amount > this.#limits.account) throw this.#overloaded(held, 'this account')
    const { total, share = 0 } = this.#limits
    if (this.total + amount > total && held + amount > share) {
      throw this.#overloaded(this.total, 'all accounts')
    }
  }

  /** Adds an amount that cannot be refused any more, even past the limits. */
  add(owner: Owner, amount: number): void {
    this.#held.add(owner, amount)
  }

  /** Returns the account that holds the most; undefined if nothing is held. */
  findLargest(): Owner | undefined {
    let largest: Owner | undefined
    for (const [owner, held] of this.#held.entries())
      if (largest === undefined || held > this.reservedBy(largest)) largest = owner
    return largest
  }

  release(owner: Owner, amount: number): void {
    this.#held.add(owner, -amount)
  }

  #overloaded(held: number, holder: string): RostrumError {
    const { describe, retryAfterSeconds } = this.#wording
    return overloaded(`${describe(held)} of ${holder} are held already, about the maximum`, retryAfterSeconds)
  }
}
