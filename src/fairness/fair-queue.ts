/** Waiting items by owner. Owners take turns. The items of one owner are served in order of arrival. */
export class FairQueue<Item, Owner = string> {
  // Owners in serving order: an owner that was served goes to the end.
  readonly #items = new Map<Owner, Item[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  lengthOf(owner: Owner): number {
    return this.#items.get(owner)?.length ?? 0
  }

  /** Returns the owner's first item and leaves it in the queue. */
  first(owner: Owner): Item | undefined {
    return this.#items.get(owner)?.[0]
  }

  /**
   * Returns the number of waiting items of each owner, in serving order. It is a copy, so the queue may change
   * meanwhile.
   */
  lengths(): [owner: Owner, length: number][] {
    return [...this.#items].map(([owner, items]) => [owner, items.length])
  }

  /**
   * Returns the owner with the most waiting items (of several, the one served first); undefined if the queue is empty.
   */
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

  /** Returns the waiting owners in serving order. Do not change the queue while you iterate. */
  owners(): Iterable<Owner> {
    return this.#items.keys()
  }

  /** Removes and returns the owner's last item. */
  removeLast(owner: Owner): Item | undefined {
    const last = this.#items.get(owner)?.at(-1)
    if (last !== undefined) this.remove(owner, last)
    return last
  }

  /** Removes an item. Does nothing if it is not in the queue. */
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
