import { RecentUse } from './recent-use.ts'

// Minimum number of sandboxes at which one is reserved: with fewer, it would be too large a share.
const minToReserveOne = 4
// The depth to which a chain of runs inside runs always finds sandboxes.
const nestedChain = 4

/** How many sandboxes each account holds, and how long it has lately held some. */
export class HeldSandboxes {
  readonly #max: number
  readonly #byAccount = new Map<string, number>()
  readonly #use = new RecentUse()
  readonly #readMs: () => number
  #total = 0

  constructor(max: number, readMs: () => number) {
    this.#max = max
    this.#readMs = readMs
  }

  get areAllHeld(): boolean {
    return this.#total >= this.#max
  }

  by(accountCode: string): number {
    return this.#byAccount.get(accountCode) ?? 0
  }

  /** How many more the account may hold now, for nested runs or for others. */
  freeFor(accountCode: string, nested = false): number {
    const free = this.#max - this.#total
    const held = this.by(accountCode)
    const unreserved = this.#max < minToReserveOne ? free : leaveOne(free, held)
    return Math.max(0, Math.min(unreserved, this.#maxOf(nested) - held))
  }

  // Five eighths (contract, section 9). Few sandboxes would leave no room for a run inside a run, which cannot wait.
  #maxOf(nested: boolean): number {
    const share = Math.max(1, Math.floor((this.#max * 5) / 8))
    return nested ? Math.max(share, Math.min(this.#max, nestedChain)) : share
  }

  /** The accounts that hold a sandbox. */
  accounts(): string[] {
    return [...this.#byAccount.keys()]
  }

  /** The accounts that hold more than `held` sandboxes, those with the most first. */
  accountsAbove(held: number): string[] {
    const above = [...this.#byAccount].filter(([, own]) => own > held)
    return above.sort((a, b) => b[1] - a[1]).map(([accountCode]) => accountCode)
  }

  /** Sorts accounts by the number of sandboxes that they hold, then by the time for which they lately held some. */
  inTurn(accounts: readonly string[]): string[] {
    if (accounts.length < 2) return [...accounts]
    const now = this.#readMs()
    return accounts
      .map(accountCode => ({ accountCode, held: this.by(accountCode), use: this.#use.of(accountCode, now) }))
      .sort((a, b) => a.held - b.held || a.use - b.use)
      .map(({ accountCode }) => accountCode)
  }

  take(accountCode: string): void {
    this.#byAccount.set(accountCode, this.by(accountCode) + 1)
    this.#total++
  }

  /** `since`: when the account took it. */
  release(accountCode: string, since: number): void {
    const now = this.#readMs()
    this.#use.add(accountCode, now - since, now)
    const held = this.by(accountCode) - 1
    if (held > 0) this.#byAccount.set(accountCode, held)
    else this.#byAccount.delete(accountCode)
    this.#total--
  }
}

/** How many of the free ones an account that holds some may take: the last is for an account that holds none. */
export function leaveOne(free: number, held: number): number {
  return Math.max(held > 0 ? 0 : Math.min(1, free), free - 1)
}
