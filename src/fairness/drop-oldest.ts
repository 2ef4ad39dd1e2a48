/** Drops the first entry of a map or set that has more than `max` entries. */
export function dropOldest<Key>(entries: Map<Key, unknown> | Set<Key>, max: number): void {
  if (entries.size <= max) return
  const [oldest] = entries.keys()
  if (oldest !== undefined) entries.delete(oldest)
}
