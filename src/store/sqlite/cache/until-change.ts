import type { ReadByName } from '../../dialect.ts'

// Number of results of one read at which all are dropped. Reads that run at once may add some more.
const maxKept = 1_000

/** Keeps the results of a read as long as the mark, which `readMark` returns, is the same. */
export function createUntilChange<T>(read: ReadByName<T>, readMark: () => number): ReadByName<T> {
  const results = new Map<string, T>()
  let keptAt = readMark()

  return async (accountCode, name) => {
    const mark = readMark()
    if (mark !== keptAt || results.size >= maxKept) results.clear()
    keptAt = mark
    const key = JSON.stringify([accountCode, name])
    const kept = results.get(key)
    if (kept !== undefined) return kept
    const result = await read(accountCode, name)
    if (readMark() === mark) results.set(key, result)
    return result
  }
}
