import type { AccountBudget } from './account-budget.ts'

/** What one request or stream holds of a budget: it grows and shrinks until it is released. */
export class Holding {
  readonly #budget: AccountBudget
  readonly #accountCode: string
  #amount = 0

  constructor(budget: AccountBudget, accountCode: string) {
    this.#budget = budget
    this.#accountCode = accountCode
  }

  get amount(): number {
    return this.#amount
  }

  /** Holds this amount in place of what it held; `OVERLOADED` where the budget has no room for more. */
  resize(amount: number): void {
    const more = amount - this.#amount
    if (more > 0) this.#budget.hold(this.#accountCode, more)
    else this.#budget.release(this.#accountCode, -more)
    this.#amount = amount
  }

  /** Gives what it holds to another, which releases it; nothing is left here. */
  handOver(): Holding {
    const other = new Holding(this.#budget, this.#accountCode)
    other.#amount = this.#amount
    this.#amount = 0
    return other
  }

  release(): void {
    this.resize(0)
  }
}
