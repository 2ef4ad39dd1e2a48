import { type SQL, sql } from 'drizzle-orm'
import type { CaseSearch } from '../../../../domain/cases/case-store.ts'
import type { Page } from '../../../../domain/port.ts'
import type { Database } from '../../../database.ts'
import { boundsOf, type Dialect, type Statement } from '../../../dialect.ts'
import { numberOf, type RowOf, type Selection } from '../../../tables/tables-of.ts'
import { type Form, ofField, selectIds } from './select-ids.ts'

// On SQLite, a search for up to this many values of a field reads a page of each. For each value of a longer list, that
// would take longer than to sort all matches.
const maxFewValues = 20
// On SQLite, a search of several fields looks up at most this many values. That takes two or three milliseconds.
const maxLookUps = 2_000

type Where = CaseSearch['where']
type Lists = readonly ReturnType<Dialect['list']>[]

interface Prepared<Row> {
  readonly statement: Statement<Row>
  readonly lists: Lists
}

/**
 * Returns the function that reads a page of a search. `selectCases` builds the query for the cases whose ids are
 * selected, and `selection` are its columns.
 */
export function createSearchCases<S extends Selection>(
  { prepareMany, read, list, isShared }: Database,
  selectCases: (ids: SQL) => SQL,
  selection: S,
) {
  const searches = new Map<string, Prepared<RowOf<S>>>()
  const counts = new Map<number, Prepared<FieldCount>>()
  const listsOf = (where: Where) => where.map((_, index) => list(`wanted_${index}`, { value: 'text' }))

  function prepareSearch(form: Form, { caseTypeCode, where }: CaseSearch, fromEnd: boolean) {
    const lists = listsOf(where)
    const hasType = caseTypeCode !== null
    const singles = where.filter(isSingle).length
    const ids = selectIds({ form, lists, singles, hasType, fromEnd, isShared })
    // With one plan for all values, PostgreSQL could read every case of the type, or every value of a field.
    const planning = where.length === 0 ? 'once' : 'each time'
    return { statement: prepareMany(selectCases(ids), selection, planning), lists }
  }

  // Counts the values of each field, up to one more than can be looked up.
  function prepareCount(where: Where) {
    const lists = listsOf(where)
    const limit = sql.raw(String(maxLookUps + 1))
    const each = lists.map(
      ({ includes }, index) => sql`
        select ${sql.raw(String(index))} as place, count(*) as count from (
          select 1 from case_values where ${ofField(index)} and ${includes(sql`value`)} limit ${limit}
        ) as few`,
    )
    return { statement: prepareMany(sql.join(each, sql` union all `), fieldCount), lists }
  }

  /** Returns the form of a search and its fields, in the order in which that form needs them. */
  async function chooseForm(accountCode: string, search: CaseSearch): Promise<readonly [Form, Where]> {
    const { where } = search
    const [first] = where
    if (first === undefined) return ['all cases', where]
    if (where.length === 1 && !isSingle(first) && (isShared || first.in.length <= maxFewValues))
      return ['page of each value', where]
    if (where.length > 1) {
      // PostgreSQL chooses within one statement, because a count would take a round trip.
      if (isShared) return ['few or in order', singlesFirst(where)]
      const { statement, lists } = counts.getOrInsertComputed(where.length, () => prepareCount(where))
      const rarest = findRarest(where, await read(statement, valuesOf(accountCode, search, lists)))
      if (rarest !== undefined) return ['rarest first', [rarest, ...where.filter(field => field !== rarest)]]
    }
    return ['in order', singlesFirst(where)]
  }

  return async (accountCode: string, search: CaseSearch, page: Page): Promise<RowOf<S>[]> => {
    const { fromEnd } = page
    const [form, where] = await chooseForm(accountCode, search)
    const ordered = { ...search, where }
    const isOrdered = form === 'in order' || form === 'few or in order'
    const singles = isOrdered ? where.filter(isSingle).length : 0
    const key = `${form} ${search.caseTypeCode === null} ${where.length} ${singles} ${fromEnd}`
    const { statement, lists } = searches.getOrInsertComputed(key, () =>
      prepareSearch(form, ordered, fromEnd),
    )
    return read(statement, { ...valuesOf(accountCode, ordered, lists), ...boundsOf(page) })
  }
}

const fieldCount = { place: numberOf(sql`place`), count: numberOf(sql`count`) }
type FieldCount = RowOf<typeof fieldCount>

/** Returns the field with the fewest look-ups among the other fields; undefined if those are too many. */
function findRarest(where: Where, counts: readonly FieldCount[]): Where[number] | undefined {
  const wanted = where.reduce((sum, field) => sum + field.in.length, 0)
  const lookUps = counts.map(({ place, count }) => {
    const field = where[place]
    return { field, count: count * Math.max(1, wanted - (field?.in.length ?? 0)) }
  })
  const [fewest] = lookUps.toSorted((one, other) => one.count - other.count)
  return fewest !== undefined && fewest.count <= maxLookUps ? fewest.field : undefined
}

function singlesFirst(where: Where): Where {
  return [...where.filter(isSingle), ...where.filter(field => !isSingle(field))]
}

function isSingle(field: Where[number]): boolean {
  return field.in.length === 1
}

function valuesOf(accountCode: string, { caseTypeCode, where }: CaseSearch, lists: Lists) {
  const values: Record<string, unknown> = { accountCode }
  if (caseTypeCode !== null) values.caseTypeCode = caseTypeCode
  for (const [index, { field, in: wanted }] of where.entries()) {
    values[`field${index}`] = field
    values[`value${index}`] = wanted[0]
    Object.assign(values, lists[index]?.encode(wanted.map(value => ({ value }))))
  }
  return values
}
