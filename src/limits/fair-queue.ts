/** Waiting requests by account. Accounts take turns; requests of one account go in order of arrival. */
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

  /** How many wait of each account, in turn; a copy, so that they may be taken from meanwhile. */
  lengths(): [accountCode: string, length: number][] {
    return [...this.#items].map(([accountCode, items]) => [accountCode, items.length])
  }

  /** The account that has the most waiting, the first of them in turn; undefined where nobody waits. */
  longest(): [accountCode: string, length: number] | undefined {
    return this.lengths().reduce<[string, number] | undefined>(
      (longest, each) => (each[1] > (longest?.[1] ?? 0) ? each : longest),
      undefined,
    )
  }

  add(accountCode: string, item: Item): void {
    const items = this.#items.get(accountCode) ?? []
    items.push(item)
    this.#items.set(accountCode, items)
    this.#length++
  }

  /** Takes out the account's first, and puts the account at the end of the turn. */
  serve(accountCode: string): Item | undefined {
    const items = this.#items.get(accountCode)
    if (items === undefined) return undefined
    const item = items.shift()
    this.#length--
    const isAlone = this.#items.size === 1
    if (isAlone && items.length > 0) return item
    this.#items.delete(accountCode)
    if (items.length > 0) this.#items.set(accountCode, items)
    return item
  }

  /** The accounts that wait, in turn; nothing may be taken out meanwhile. */
  accounts(): Iterable<string> {
    return this.#items.keys()
  }

  /** Takes out the account's last. */
  removeLast(accountCode: string): Item | undefined {
    const last = this.#items.get(accountCode)?.at(-1)
    if (last !== undefined) this.remove(accountCode, last)
    return last
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
