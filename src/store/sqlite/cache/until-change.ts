import type { Dialect } from '../../dialect.ts'
import type { ChangeMark } from '../connection/change-mark.ts'

// Maximum number of results that are kept for each read.
const maxKept = 1_000

/** Keeps the results of a read until a transaction of this process ends, or another process changes the file. */
export function createUntilChange(changeMark: ChangeMark): Dialect['untilChange'] {
  return <T>(read: (accountCode: string, name: string) => Promise<T>) => {
    const accounts = new Map<string, Map<string, T>>()
    let count = 0
    let keptAt = changeMark.readAll()

    function clear(mark: number): void {
      accounts.clear()
      count = 0
      keptAt = mark
    }

    function keep(accountCode: string, name: string, result: T): void {
      if (count === maxKept) clear(keptAt)
      const results = accounts.get(accountCode) ?? new Map<string, T>()
      accounts.set(accountCode, results.set(name, result))
      count += 1
    }

    return async (accountCode, name) => {
      const mark = changeMark.readAll()
      if (mark !== keptAt) clear(mark)
      const kept = accounts.get(accountCode)?.get(name)
      if (kept !== undefined) return kept
      const result = await read(accountCode, name)
      if (changeMark.readAll() === mark) keep(accountCode, name, result)
      return result
    }
  }
}
