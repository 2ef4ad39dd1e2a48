import type { AccountBudget } from './account-budget.ts'

/** The amount of a budget that one request or stream holds. It can change until it is released. */
export class Reservation {
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

  /** Changes the amount. Throws `OVERLOADED` if the budget is used up. */
  resize(amount: number): void {
    const more = amount - this.#amount
    if (more > 0) this.#budget.reserve(this.#accountCode, more)
    else this.#budget.release(this.#accountCode, -more)
    this.#amount = amount
  }

  /** Moves the amount to a new reservation, which must release it. */
  handOver(): Reservation {
    const other = new Reservation(this.#budget, this.#accountCode)
    other.#amount = this.#amount
    this.#amount = 0
    return other
  }

  release(): void {
    this.resize(0)
  }
}
