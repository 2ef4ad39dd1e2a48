import { dropOldest } from '../../fairness/drop-oldest.ts'

// After this time, use counts half.
const halfLifeMs = 1_000
const maxAccounts = 1_000

/** How long each account has lately held sandboxes, in milliseconds. Older use counts less. */
export class RecentUse {
  readonly #byAccount = new Map<string, { ms: number; at: number }>()

  of(accountCode: string, now: number): number {
    const used = this.#byAccount.get(accountCode)
    return used === undefined ? 0 : used.ms * 2 ** ((used.at - now) / halfLifeMs)
  }

  add(accountCode: string, ms: number, now: number): void {
    const used = this.of(accountCode, now) + ms
    this.#byAccount.delete(accountCode)
    this.#byAccount.set(accountCode, { ms: used, at: now })
    dropOldest(this.#byAccount, maxAccounts)
  }
}
