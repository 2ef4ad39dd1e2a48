import type { ChangeMark } from '../connection/change-mark.ts'

/**
 * Caches rows by account and id. Only one gateway serves a SQLite file, so a cached row is valid until this gateway
 * changes it, or another process changes the file.
 */
interface CachedRows<Row> {
  /** Returns the cached rows of an account, for a look-up that needs no promise. */
  of(accountCode: string): ReadonlyMap<number, Row>
  /** Caches rows. Call it right after they were read, before anything else can run. */
  add(accountCode: string, rows: readonly Row[]): void
  /** Removes a row. Call it in the transaction that may change the row: nothing is read before the transaction ends. */
  forget(accountCode: string, id: number): void
}

/** Caches up to `maxRows` rows, then clears the cache. */
export function createCachedRows<Row extends { readonly id: number }>(
  changeMark: ChangeMark,
  maxRows: number,
): CachedRows<Row> {
  const accounts = new Map<string, Map<number, Row>>()
  const none: ReadonlyMap<number, Row> = new Map()
  let count = 0
  let mark = 0

  function clear(): void {
    accounts.clear()
    count = 0
  }

  return {
    of(accountCode) {
      const newMark = changeMark.readOthers()
      if (newMark !== mark) clear()
      mark = newMark
      return accounts.get(accountCode) ?? none
    },
    add(accountCode, rows) {
      if (rows.length === 0 || rows.length > maxRows) return
      if (count + rows.length > maxRows) clear()
      const accountRows = accounts.get(accountCode) ?? new Map<number, Row>()
      accounts.set(accountCode, accountRows)
      count -= accountRows.size
      for (const row of rows) accountRows.set(row.id, row)
      count += accountRows.size
    },
    forget(accountCode, id) {
      if (accounts.get(accountCode)?.delete(id) === true) count -= 1
    },
  }
}
