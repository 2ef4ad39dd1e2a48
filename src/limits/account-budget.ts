import { RostrumError } from '../errors.ts'

export interface BudgetLimits {
  /** What one account may hold. */
  readonly account: number
  /** What all accounts together may hold. */
  readonly total: number
  /**
   * What each account may hold whatever the others do, so that a few that fill the total cannot keep the others out.
   */
  readonly share?: number
}

/** What the refusal says is held, such as `Unread answers of 33554432 bytes`, and for how long a client should wait. */
export interface BudgetWording {
  readonly describe: (held: number) => string
  readonly retryAfterSeconds: number
}

/**
 * Counts what each account holds of one resource, in bytes or places. `hold` refuses with `OVERLOADED` before a limit
 * is passed; everything held is released with the same arguments.
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

  /** Refuses where `hold` of this amount would, and holds nothing. */
  refuseBeyond(accountCode: string, amount: number): void {
    const held = this.heldBy(accountCode)
    if (held + amount > this.#limits.account) throw this.#overloaded(held, 'this account')
    const { total, share = 0 } = this.#limits
    if (this.#total + amount > total && held + amount > share) {
      throw this.#overloaded(this.#total, 'all accounts')
    }
  }

  /** Counts what is there already and can be refused no more, past any limit. */
  add(accountCode: string, amount: number): void {
    this.#held.set(accountCode, this.heldBy(accountCode) + amount)
    this.#total += amount
  }

  /** The account that holds most; undefined where nothing is held. */
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
