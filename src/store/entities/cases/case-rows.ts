import { type SQL, sql } from 'drizzle-orm'
import type { Case, CaseStore } from '../../../domain/cases/case-store.ts'
import { JsonText } from '../../../json/json-text.ts'
import { select } from '../../columns.ts'
import type { Database } from '../../database.ts'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import { type RowOf, textOf } from '../../tables/tables-of.ts'
import { createSearchCases } from './search/search-cases.ts'

// Maximum bytes of case data that one statement reads. A list may name a thousand cases of 1 MiB each.
const maxBytes = sql.raw(String(4 * 2 ** 20))
// Longer data are read by a second statement, within that bound. SQLite caches cases with shorter ones: 10 MB of them.
const maxShortBytes = 2_048
const maxCachedRows = 5_000

export function selectCase({ cases }: Dialect['tables']) {
  return select(cases, { omit: ['accountCode'] })
}

/** The data of a case; null if they take more than `maxBytes`. */
export function selectShortData({ cases }: Dialect['tables'], maxBytes: number) {
  return textOf(sql`case when ${cases.dataBytes} <= ${sql.raw(String(maxBytes))} then ${cases.data} end`)
}

export type StoredCase = RowOf<ReturnType<typeof selectCase>>

/** The condition that nobody but `holder` has the lease of the case `id`. */
export function buildIsFree(now: SQL, id: SQL, holder: SQL): SQL {
  return sql`
    not exists (
      select 1 from case_leases as lease
      where lease.account_code = ${sql.placeholder('accountCode')} and lease.case_id = ${id}
        and lease.holder <> ${holder} and lease.held_until > ${now}
    )`
}

type ReadCase = Omit<StoredCase, 'data'> & { readonly data: string | null }

/** Also reads a row that was stored as JSON, whose times are texts. */
export function toCase(row: ReadCase): Case {
  const data = row.data === null ? null : new JsonText(row.data)
  return { ...row, data, createdAt: toTime(row.createdAt), updatedAt: toTime(row.updatedAt) }
}

function toTime(time: Date | string): Date {
  return typeof time === 'string' ? new Date(time) : time
}

export interface CaseReads {
  readonly store: Pick<CaseStore, 'findByIds' | 'page'>
  /** Returns a cached case. `undefined` means "not cached", not "does not exist". */
  readonly findCached: (accountCode: string, id: number) => Case | undefined
  /** Drops the case from the cache. Call it inside the transaction that changes the case. */
  readonly forget: (accountCode: string, id: number) => void
  /** Caches the case as a transaction has left it, right after its commit, for the next read. */
  readonly remember: (accountCode: string, row: StoredCase) => void
}

const given = placeholders('accountCode', 'ids')
const inAccount = sql`cases.account_code = ${given.accountCode}`

/** Reads of cases: by ids, and the pages of a search. */
export function createCaseReads(database: Database): CaseReads {
  const { prepareMany, read, isListed, encodeList, tables } = database
  const selection = selectCase(tables)
  const fitting = {
    ...selection,
    data: textOf(sql`case when running - data_bytes < ${maxBytes} then data end`),
  }
  const selectCases = (rows: SQL) => sql`
    select ${columnsOf(fitting)}
    from (
      select ${columnsOf(selection)}, sum(data_bytes) over (order by id rows unbounded preceding) as running
      from cases where ${inAccount} and ${rows}
    ) as cases`
  const longByIds = prepareMany(selectCases(isListed(tables.cases.id, given.ids)), selection)
  const withShortData = { ...selection, data: selectShortData(tables, maxShortBytes) }
  const cached = database.findByIds(tables.cases, withShortData, { maxCachedRows, decode: toCase })

  const searchCases = createSearchCases(
    database,
    ids => sql`${selectCases(sql`cases.id in (${ids})`)} order by id`,
    selection,
  )

  const store: CaseReads['store'] = {
    async findByIds(accountCode, ids) {
      const rows = await cached.findByIds(accountCode, ids)
      const long = rows.filter(({ data }) => data === null).map(({ id }) => id)
      if (long.length === 0) return rows
      // A change between the two statements cannot mix versions: the second one reads whole rows.
      const found = await read(longByIds, { accountCode, ids: encodeList(long) })
      return [...rows.filter(({ data }) => data !== null), ...found.map(toCase)]
    },
    async page(accountCode, search, page) {
      return (await searchCases(accountCode, search, page)).map(toCase)
    },
  }
  return {
    store,
    findCached(accountCode, id) {
      const row = cached.findCached?.(accountCode, id)
      return row === undefined || row.data === null ? undefined : row
    },
    forget: cached.forget,
    remember(accountCode, row) {
      const data = row.dataBytes <= maxShortBytes ? row.data : null
      cached.remember?.(accountCode, toCase({ ...row, data }))
    },
  }
}
