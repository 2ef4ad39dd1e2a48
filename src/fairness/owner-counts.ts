import type { ShareOwner } from './share-owner.ts'

/** Counts how much each owner holds, and all owners together. An owner that holds nothing has no entry. */
export class OwnerCounts<Owner extends ShareOwner = string> {
  readonly #held = new Map<Owner, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  of(owner: Owner): number {
    return this.#held.get(owner) ?? 0
  }

  /** The owners that hold something with their amounts, in the order in which they began to. */
  entries(): MapIterator<[owner: Owner, held: number]> {
    return this.#held.entries()
  }

  /** Adds to what the owner holds. A negative amount is taken away. */
  add(owner: Owner, amount: number): void {
    const held = this.of(owner) + amount
    if (held > 0) this.#held.set(owner, held)
    else this.#held.delete(owner)
    this.#total += amount
  }
}
