/** Those who wait, by account: accounts in turn, within one first come first served. */
export class FairQueue<Item> {
  // In the order in which the accounts are served: the one served last goes to the end.
  readonly #items = new Map<string, Item[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  lengthOf(accountCode: string): number {
    return this.#items.get(accountCode)?.length ?? 0
  }

  /** The first of each account, in turn; a copy, so that it may be taken from meanwhile. */
  firsts(): [accountCode: string, item: Item][] {
    return [...this.#items].map(([accountCode, items]) => [accountCode, items[0] as Item])
  }

  /** How many wait of each account. */
  lengths(): [accountCode: string, length: number][] {
    return [...this.#items].map(([accountCode, items]) => [accountCode, items.length])
  }

  add(accountCode: string, item: Item): void {
    const items = this.#items.get(accountCode) ?? []
    items.push(item)
    this.#items.set(accountCode, items)
    this.#length++
  }

  /** Takes out the account's first, and puts the account at the end of the turn. */
  serve(accountCode: string): void {
    const items = this.#items.get(accountCode)
    if (items === undefined) return
    items.shift()
    this.#length--
    const isAlone = this.#items.size === 1
    if (isAlone && items.length > 0) return
    this.#items.delete(accountCode)
    if (items.length > 0) this.#items.set(accountCode, items)
  }

  /** Takes out whose turn it is; undefined where nobody waits. */
  next(): Item | undefined {
    for (const [accountCode, items] of this.#items) {
      const [item] = items
      this.serve(accountCode)
      return item
    }
    return undefined
  }

  /** Takes out one that waits no longer; nothing happens where it is not there. */
  remove(accountCode: string, item: Item): void {
    const items = this.#items.get(accountCode)
    const at = items?.indexOf(item) ?? -1
    if (items === undefined || at < 0) return
    items.splice(at, 1)
    this.#length--
    if (items.length === 0) this.#items.delete(accountCode)
  }

  /** Empties the queue; gives all who waited. */
  clear(): Item[] {
    const all = [...this.#items.values()].flat()
    this.#items.clear()
    this.#length = 0
    return all
  }
}
