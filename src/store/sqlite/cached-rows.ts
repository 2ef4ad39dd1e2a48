import type { ChangeMark } from './connection/change-mark.ts'

/**
 * Rows that were read, by account and id. One gateway serves a file, so they stay as they are until this one changes them, or
 * the file shows a change by another process.
 */
export interface KeptRows<Row> {
  /** Those of an account, for a look-up that waits for nothing. */
  of(accountCode: string): ReadonlyMap<number, Row>
  /** For rows just read, before anything else can happen. */
  keep(accountCode: string, rows: readonly Row[]): void
  /** For the transaction that may change the row: nothing is read before its end. */
  forget(accountCode: string, id: number): void
}

/** At most so many rows; when they are there, it begins anew. */
export function createKeptRows<Row extends { readonly id: number }>(
  changeMark: ChangeMark,
  most: number,
): KeptRows<Row> {
  const accounts = new Map<string, Map<number, Row>>()
  const none: ReadonlyMap<number, Row> = new Map()
  let keptCount = 0
  let keptMark = 0

  function clear(): void {
    accounts.clear()
    keptCount = 0
  }

  return {
    of(accountCode) {
      const mark = changeMark.readOthers()
      if (mark !== keptMark) clear()
      keptMark = mark
      return accounts.get(accountCode) ?? none
    },
    keep(accountCode, rows) {
      if (rows.length === 0) return
      if (keptCount + rows.length > most) clear()
      keptCount += rows.length
      const ofAccount = accounts.get(accountCode) ?? new Map<number, Row>()
      accounts.set(accountCode, ofAccount)
      for (const row of rows) ofAccount.set(row.id, row)
    },
    forget(accountCode, id) {
      accounts.get(accountCode)?.delete(id)
    },
  }
}
