/** Waiting requests by account. Accounts take turns; requests of one account go in order of arrival. */
export class FairQueue<Item> {
  // In serving order: the account served last goes to the end.
  readonly #items = new Map<string, Item[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  lengthOf(accountCode: string): number {
    return this.#items.get(accountCode)?.length ?? 0
  }

  /** The account's first item, which stays in the queue. */
  first(accountCode: string): Item | undefined {
    return this.#items.get(accountCode)?.[0]
  }

  /** The number of waiting items of each account, in serving order. A copy, so the queue may change meanwhile. */
  lengths(): [accountCode: string, length: number][] {
    return [...this.#items].map(([accountCode, items]) => [accountCode, items.length])
  }

  /** The account with the most waiting items, the first in serving order; undefined if the queue is empty. */
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

  /** Removes and returns the account's first item, and moves the account to the end. */
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

  /** The waiting accounts in serving order. The queue must not change meanwhile. */
  accounts(): Iterable<string> {
    return this.#items.keys()
  }

  /** Removes and returns the account's last item. */
  removeLast(accountCode: string): Item | undefined {
    const last = this.#items.get(accountCode)?.at(-1)
    if (last !== undefined) this.remove(accountCode, last)
    return last
  }

  /** Removes an item if it is in the queue. */
  remove(accountCode: string, item: Item): void {
    const items = this.#items.get(accountCode)
    const at = items?.indexOf(item) ?? -1
    if (items === undefined || at < 0) return
    items.splice(at, 1)
    this.#length--
    if (items.length === 0) this.#items.delete(accountCode)
  }

  /** Empties the queue and returns its items. */
  clear(): Item[] {
    const all = [...this.#items.values()].flat()
    this.#items.clear()
    this.#length = 0
    return all
  }
}
