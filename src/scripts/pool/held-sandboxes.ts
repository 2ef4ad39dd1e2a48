import { OwnerCounts } from '../../fairness/owner-counts.ts'
import { RecentUse } from './recent-use.ts'

// Minimum number of sandboxes at which one is reserved: with fewer, it would be too large a share.
const minToReserveOne = 4
// The depth to which a chain of runs inside runs always finds sandboxes.
const nestedChain = 4

/** How many sandboxes each account holds, and how long it has lately held some. */
export class HeldSandboxes {
  readonly #max: number
  readonly #held = new OwnerCounts()
  readonly #use = new RecentUse()
  readonly #readMs: () => number

  constructor(max: number, readMs: () => number) {
    this.#max = max
    this.#readMs = readMs
  }

  get areAllHeld(): boolean {
    return this.#held.total >= this.#max
  }

  by(accountCode: string): number {
    return this.#held.of(accountCode)
  }

  /** How many more the account may hold now, for nested runs or for others. */
  freeFor(accountCode: string, nested = false): number {
    const free = this.#max - this.#held.total
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
    return [...this.#held.entries()].map(([accountCode]) => accountCode)
  }

  /** The accounts that hold more than `held` sandboxes, those with the most first. */
  accountsAbove(held: number): string[] {
    const above = [...this.#held.entries()].filter(([, own]) => own > held)
    return above.sort((a, b) => b[1] - a[1]).map(([accountCode]) => accountCode)
  }

  /** Sorts accounts by the number of sandboxes that they hold, then by the time for which they lately held some. */
  byTurn(accounts: readonly string[]): string[] {
    if (accounts.length < 2) return [...accounts]
    const now = this.#readMs()
    return accounts
      .map(accountCode => ({ accountCode, held: this.by(accountCode), use: this.#use.of(accountCode, now) }))
      .sort((a, b) => a.held - b.held || a.use - b.use)
      .map(({ accountCode }) => accountCode)
  }

  take(accountCode: string): void {
    this.#held.add(accountCode, 1)
  }

  /** `since`: when the account took it. */
  release(accountCode: string, since: number): void {
    const now = this.#readMs()
    this.#use.add(accountCode, now - since, now)
    this.#held.add(accountCode, -1)
  }
}

/** How many of the free ones an account that holds some may take: the last is for an account that holds none. */
export function leaveOne(free: number, held: number): number {
  return Math.max(held > 0 ? 0 : Math.min(1, free), free - 1)
}
