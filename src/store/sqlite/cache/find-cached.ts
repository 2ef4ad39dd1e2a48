import { sql } from 'drizzle-orm'
import type { TimeCall } from '../../database.ts'
import {
  columnsOf,
  type Dialect,
  type FindByIds,
  type HasId,
  type IdSelection,
  type IdTable,
  placeholders,
  type Reading,
} from '../../dialect.ts'
import type { RowOf } from '../../tables/tables-of.ts'
import type { ChangeMark } from '../connection/change-mark.ts'
import { encodeIds, isListed } from '../list.ts'
import { createCachedRows } from './cached-rows.ts'

// Maximum number of cached rows. They take 10 MB with the longest names and addresses.
const usualMaxCachedRows = 10_000

interface FindCached<S extends IdSelection, Row> {
  readonly prepare: Dialect['prepare']
  readonly changeMark: ChangeMark
  readonly time: TimeCall
  readonly table: IdTable
  readonly selection: S
  readonly reading: Reading<S, Row>
}

/** Finds rows by id in the cache. Reads the missing ones with one statement. */
export function createFindCached<S extends IdSelection, Row extends HasId>(
  parts: FindCached<S, Row>,
): FindByIds<Row> {
  const { prepare, changeMark, time, table, selection } = parts
  const { decode, maxCachedRows = usualMaxCachedRows } = parts.reading
  const cache = createCachedRows<Row>(changeMark, maxCachedRows)
  const { accountCode, id, ids } = placeholders('accountCode', 'id', 'ids')
  const select = sql`select ${columnsOf(selection)} from ${table} where ${table.accountCode} = ${accountCode}`
  const one = prepare(sql`${select} and ${table.id} = ${id}`, selection)
  const listed = prepare(sql`${select} and ${isListed(table.id, ids)}`, selection)

  // Reads rows and caches them in the same turn, before they can change. A single row has its own statement, because
  // most reads are of one row and a list costs twice as much.
  async function readRows(accountCode: string, ids: readonly number[]): Promise<readonly Row[]> {
    const read =
      ids.length === 1
        ? one.run({ accountCode, id: ids[0] })
        : listed.run({ accountCode, ids: encodeIds(ids) })
    const rows = decode === undefined ? read : (read as RowOf<S>[]).map(decode)
    cache.add(accountCode, rows as readonly Row[])
    return rows as readonly Row[]
  }

  return {
    findCached: (accountCode, id) => cache.of(accountCode).get(id),
    forget: cache.forget,
    remember: (accountCode, row) => cache.add(accountCode, [row]),
    async findByIds(accountCode, ids) {
      const cached = cache.of(accountCode)
      const rows: Row[] = []
      const missing: number[] = []
      for (const id of ids) {
        const row = cached.get(id)
        if (row === undefined) missing.push(id)
        else rows.push(row)
      }
      if (missing.length === 0) return rows
      return rows.concat(await time('read', () => readRows(accountCode, missing)))
    },
  }
}
