import { type SQL, sql } from 'drizzle-orm'
import type { Case, CaseSearch, CaseStore } from '../../../domain/cases/case-store.ts'
import { JsonText } from '../../../json/json-text.ts'
import { select } from '../../columns.ts'
import type { Database } from '../../database.ts'
import { columnsOf, type Dialect, placeholders, type Statement } from '../../dialect.ts'
import { type RowOf, textOf } from '../../tables/tables-of.ts'

// Maximum bytes of case data that one statement reads. A list may name a thousand cases of 1 MiB each.
const maxBytes = sql.raw(String(4 * 2 ** 20))
// Longer data are read by a second statement, within that bound. SQLite caches cases with shorter ones: 10 MB of them.
const maxShortBytes = 2_048
const maxCachedRows = 5_000
// On SQLite, a search for up to this many values of a field reads a page of each. For each value of a longer list, that
// would take longer than to sort all matches.
const maxFewValues = 20

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

const given = placeholders('accountCode', 'ids', 'caseTypeCode', 'value', 'after', 'before', 'limit')
const inAccount = sql`cases.account_code = ${given.accountCode}`

/** Reads of cases: by ids, and the pages of a search. */
export function createCaseReads(database: Database): CaseReads {
  const { prepareMany, read, isListed, encodeList, list, tables, isShared } = database
  const selection = selectCase(tables)
  const searches = new Map<string, Search>()

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

  // Returns the prepared statement for conditions of this form.
  function findSearch({ caseTypeCode, where }: CaseSearch, fromEnd: boolean): Search {
    const isOneValue = where.length === 1 && where[0]?.in.length === 1
    const isByValue = where.length === 1 && (isShared || (where[0]?.in.length ?? 0) <= maxFewValues)
    const key = `${caseTypeCode === null} ${where.length} ${isOneValue} ${isByValue} ${fromEnd}`
    const known = searches.get(key)
    if (known !== undefined) return known
    const lists = where.map((_, index) => list(`wanted_${index}`, { value: 'text' }))
    const hasType = caseTypeCode !== null
    const page = sql`cases.id in (${selectIds({ lists, hasType, isOneValue, isByValue, fromEnd, isShared })})`
    // With one plan for all values, PostgreSQL could read every case of the type, or every value of a field.
    const planning = where.length === 0 ? 'once' : 'each time'
    const statement = prepareMany(sql`${selectCases(page)} order by id`, selection, planning)
    const search = { statement, lists }
    searches.set(key, search)
    return search
  }

  const store: CaseReads['store'] = {
    async findByIds(accountCode, ids) {
      const rows = await cached.findByIds(accountCode, ids)
      const long = rows.filter(({ data }) => data === null).map(({ id }) => id)
      if (long.length === 0) return rows
      // A change between the two statements cannot mix versions: the second one reads whole rows.
      const found = await read(longByIds, { accountCode, ids: encodeList(long) })
      return [...rows.filter(({ data }) => data !== null), ...found.map(toCase)]
    },
    async page(accountCode, search, { after, before, limit, fromEnd }) {
      const { statement, lists } = findSearch(search, fromEnd)
      const values: Record<string, unknown> = {
        accountCode,
        after: after ?? 0,
        before: before ?? 2 ** 53,
        limit,
      }
      if (search.caseTypeCode !== null) values.caseTypeCode = search.caseTypeCode
      values.value = search.where[0]?.in[0]
      for (const [index, { field, in: wanted }] of search.where.entries()) {
        values[`field${index}`] = field
        Object.assign(values, lists[index]?.encode(wanted.map(value => ({ value }))))
      }
      return (await read(statement, values)).map(toCase)
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

interface Search {
  readonly statement: Statement<StoredCase>
  readonly lists: readonly ReturnType<Dialect['list']>[]
}

interface SearchShape extends Pick<Search, 'lists'> {
  readonly hasType: boolean
  /** True for one value of one field. */
  readonly isOneValue: boolean
  /** True to read a page of each value of the one field. */
  readonly isByValue: boolean
  readonly fromEnd: boolean
  readonly isShared: boolean
}

/** Builds the query for the ids of a page. The values say which cases they are of. */
function selectIds({ lists, hasType, isOneValue, isByValue, fromEnd, isShared }: SearchShape): SQL {
  const side = sql.raw(fromEnd ? 'desc' : 'asc')
  const pageOf = (rows: SQL, id = sql`case_id`, order = id) => sql`
    ${rows} and ${id} > ${given.after} and ${id} < ${given.before}
    order by ${order} ${side} limit ${given.limit}`
  const ofField = (index: number) => sql`
    account_code = ${given.accountCode} and case_type_code = ${given.caseTypeCode}
      and field = ${sql.placeholder(`field${index}`)}`
  const valuesOf = (index: number, isWanted: SQL) =>
    sql`select case_id from case_values where ${ofField(index)} and ${isWanted}`
  // Without `+`, SQLite may walk along the values of all cases, or look each case of a list up.
  const sortedPageOf = (rows: SQL) => pageOf(rows, sql`case_id`, sql`+case_id`)

  // The key of the values has those of one value in the order of the ids.
  if (isOneValue) return pageOf(valuesOf(0, sql`value = ${given.value}`))
  const [list] = lists
  if (list !== undefined && isByValue) {
    // The page is among the pages of the values. `cross join` makes SQLite begin with the listed values.
    const pageOfEach = pageOf(valuesOf(0, sql`value = wanted`))
    const each = sql`
      select case_id from (select distinct value as wanted from ${list.rows}) as listed cross join`
    return isShared
      ? sql`${each} lateral (${pageOfEach}) as pages order by case_id ${side} limit ${given.limit}`
      : sortedPageOf(
          sql`${each} case_values where ${ofField(0)} and value = wanted and case_id in (${pageOfEach})`,
        )
  }
  const found = lists.map(({ includes }, index) => valuesOf(index, includes(sql`value`)))
  // For several fields, PostgreSQL has better plans if it may begin with the cases.
  if (found.length === 0 || isShared) {
    const ofType = hasType ? sql`and cases.case_type_code = ${given.caseTypeCode}` : sql``
    const inAll = sql.join(found.map(rows => sql`and cases.id in (${rows})`))
    return pageOf(sql`select cases.id from cases where ${inAccount} ${ofType} ${inAll}`, sql`cases.id`)
  }
  const [first, ...others] = found
  return sortedPageOf(sql`${first} ${sql.join(others.map(rows => sql`and +case_id in (${rows})`))}`)
}
