// With fewer than this, one kept free would be too much to keep.
const leastToKeepOneFree = 4

/** Which account holds how many of the sandboxes that there may be. */
export class HeldSandboxes {
  readonly #most: number
  readonly #byAccount = new Map<string, number>()
  #total = 0

  constructor(most: number) {
    this.#most = most
  }

  get areAllHeld(): boolean {
    return this.#total >= this.#most
  }

  by(accountCode: string): number {
    return this.#byAccount.get(accountCode) ?? 0
  }

  /** How many more the account may hold now: of four or more, the last is kept for one that holds none. */
  freeFor(accountCode: string): number {
    const free = this.#most - this.#total
    const keepsOne = this.#most >= leastToKeepOneFree && this.#byAccount.has(accountCode)
    return Math.max(0, keepsOne ? free - 1 : free)
  }

  /** The accounts that hold more than so many, those that hold the most first. */
  richerThan(held: number): string[] {
    const richer = [...this.#byAccount].filter(([, own]) => own > held)
    return richer.sort((a, b) => b[1] - a[1]).map(([accountCode]) => accountCode)
  }

  take(accountCode: string): void {
    this.#byAccount.set(accountCode, this.by(accountCode) + 1)
    this.#total++
  }

  giveBack(accountCode: string): void {
    const held = this.by(accountCode) - 1
    if (held > 0) this.#byAccount.set(accountCode, held)
    else this.#byAccount.delete(accountCode)
    this.#total--
  }
}
