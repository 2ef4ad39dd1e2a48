import type { Dialect, ReadByName } from '../../dialect.ts'
import type { ChangeMark } from '../connection/change-mark.ts'

// Maximum number of results that are kept for each read.
const maxKept = 1_000

/** Keeps the results of a read until a transaction of this process ends, or another process changes the file. */
export function createUntilChange(changeMark: ChangeMark): Dialect['untilChange'] {
  return <T>(read: ReadByName<T>): ReadByName<T> => {
    const results = new Map<string, T>()
    let keptAt = changeMark.readAll()

    return async (accountCode, name) => {
      const mark = changeMark.readAll()
      if (mark !== keptAt || results.size === maxKept) results.clear()
      keptAt = mark
      const key = JSON.stringify([accountCode, name])
      const kept = results.get(key)
      if (kept !== undefined) return kept
      const result = await read(accountCode, name)
      if (changeMark.readAll() === mark) results.set(key, result)
      return result
    }
  }
}
