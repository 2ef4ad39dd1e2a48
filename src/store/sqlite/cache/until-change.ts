import type { ReadByName } from '../../dialect.ts'

// Number of cached results at which the cache is cleared. Reads that run at once may add some more.
const maxResults = 1_000

/** Caches the results of a read as long as `readMark` returns the same mark. */
export function createUntilChange<T>(read: ReadByName<T>, readMark: () => number): ReadByName<T> {
  const results = new Map<string, T>()
  let lastMark = readMark()

  return async (accountCode, name) => {
    const mark = readMark()
    if (mark !== lastMark || results.size >= maxResults) results.clear()
    lastMark = mark
    const key = JSON.stringify([accountCode, name])
    const cached = results.get(key)
    if (cached !== undefined) return cached
    const result = await read(accountCode, name)
    if (readMark() === mark) results.set(key, result)
    return result
  }
}
