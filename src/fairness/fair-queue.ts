/** Waiting items by owner. Owners take turns; items of one owner go in order of arrival. */
export class FairQueue<Item, Owner = string> {
  // In serving order: the owner served last goes to the end.
  readonly #items = new Map<Owner, Item[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  lengthOf(owner: Owner): number {
    return this.#items.get(owner)?.length ?? 0
  }

  /** The owner's first item, which stays in the queue. */
  first(owner: Owner): Item | undefined {
    return this.#items.get(owner)?.[0]
  }

  /** The number of waiting items of each owner, in serving order. A copy, so the queue may change meanwhile. */
  lengths(): [owner: Owner, length: number][] {
    return [...this.#items].map(([owner, items]) => [owner, items.length])
  }

  /** The owner with the most waiting items, the first in serving order; undefined if the queue is empty. */
  longest(): [owner: Owner, length: number] | undefined {
    return this.lengths().reduce<[Owner, number] | undefined>(
      (longest, each) => (each[1] > (longest?.[1] ?? 0) ? each : longest),
      undefined,
    )
  }

  add(owner: Owner, item: Item): void {
    const items = this.#items.get(owner) ?? []
    items.push(item)
    this.#items.set(owner, items)
    this.#length++
  }

  /** Removes and returns the owner's first item, and moves the owner to the end. */
  serve(owner: Owner): Item | undefined {
    const items = this.#items.get(owner)
    if (items === undefined) return undefined
    const item = items.shift()
    this.#length--
    const isAlone = this.#items.size === 1
    if (isAlone && items.length > 0) return item
    this.#items.delete(owner)
    if (items.length > 0) this.#items.set(owner, items)
    return item
  }

  /** The waiting owners in serving order. The queue must not change meanwhile. */
  owners(): Iterable<Owner> {
    return this.#items.keys()
  }

  /** Removes and returns the owner's last item. */
  removeLast(owner: Owner): Item | undefined {
    const last = this.#items.get(owner)?.at(-1)
    if (last !== undefined) this.remove(owner, last)
    return last
  }

  /** Removes an item if it is in the queue. */
  remove(owner: Owner, item: Item): void {
    const items = this.#items.get(owner)
    const at = items?.indexOf(item) ?? -1
    if (items === undefined || at < 0) return
    items.splice(at, 1)
    this.#length--
    if (items.length === 0) this.#items.delete(owner)
  }

  /** Empties the queue and returns its items. */
  clear(): Item[] {
    const all = [...this.#items.values()].flat()
    this.#items.clear()
    this.#length = 0
    return all
  }
}
