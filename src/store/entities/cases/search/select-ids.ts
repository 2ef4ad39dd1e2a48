import { type SQL, sql } from 'drizzle-orm'
import { type Dialect, placeholders } from '../../../dialect.ts'

/** How a search finds the ids of a page. `chooseForm` says when. */
export type Form = 'all cases' | 'page of each value' | 'rarest first' | 'in order'

export interface SearchShape {
  readonly form: Form
  /** The wanted values, a list for each field. */
  readonly lists: readonly ReturnType<Dialect['list']>[]
  /** Number of first fields with one wanted value. */
  readonly singles: number
  readonly hasType: boolean
  readonly fromEnd: boolean
  readonly isShared: boolean
}

const given = placeholders('accountCode', 'caseTypeCode', 'after', 'before', 'limit')

/** The values of the field at this place, which the placeholder `field0` names for the first one. */
export function ofField(index: number): SQL {
  return sql`
    account_code = ${given.accountCode} and case_type_code = ${given.caseTypeCode}
      and field = ${sql.placeholder(`field${index}`)}`
}

/** Builds the query for the ids of a page. */
export function selectIds(shape: SearchShape): SQL {
  return selectors[shape.form](shape)
}

const selectors: Readonly<Record<Form, (shape: SearchShape) => SQL>> = {
  'all cases': selectFromCases,
  'page of each value': selectPageOfEach,
  'rarest first': selectRarestFirst,
  'in order': selectInOrder,
}

// PostgreSQL may also begin with the values of a field.
function selectFromCases({ lists, hasType, fromEnd }: SearchShape): SQL {
  const ofType = hasType ? sql`and cases.case_type_code = ${given.caseTypeCode}` : sql``
  const hasEach = lists.map((list, index) => sql`and cases.id in (${valuesOf(index, isIn(list))})`)
  return sql`
    select cases.id from cases
    where cases.account_code = ${given.accountCode} ${ofType} ${sql.join(hasEach)} and ${isBetween(sql`cases.id`)}
    ${firstOf(sql`cases.id`, fromEnd)}`
}

// The page is among the pages of the values. `cross join` makes SQLite begin with the listed values.
function selectPageOfEach({ lists: [list], fromEnd, isShared }: SearchShape): SQL {
  const page = sql`
    ${valuesOf(0, sql`value = wanted`)} and ${isBetween(sql`case_id`)} ${firstOf(sql`case_id`, fromEnd)}`
  const each = sql`
    select case_id from (select distinct value as wanted from ${list?.rows}) as listed cross join`
  return isShared
    ? sql`${each} lateral (${page}) as pages ${firstOf(sql`case_id`, fromEnd)}`
    : sql`
      ${each} case_values where ${ofField(0)} and value = wanted and case_id in (${page})
      ${firstOf(sql`+case_id`, fromEnd)}`
}

// Looks the cases with the values of the first field up among those of each other field. A count cannot become a join,
// in which SQLite might read all values of the other field.
function selectRarestFirst({ lists: [rarest, ...others], fromEnd }: SearchShape): SQL {
  const hasEach = others.map(
    (list, index) => sql`
      and (select count(*) from (${valuesOf(index + 1, isIn(list))} and case_id = rare.case_id) as found) > 0`,
  )
  return sql`
    select case_id from case_values as rare
    where ${ofField(0)} and ${isIn(rarest)} and ${isBetween(sql`case_id`)} ${sql.join(hasEach)}
    ${firstOf(sql`+case_id`, fromEnd)}`
}

// The key of the values has those of one value in the order of the ids, so SQLite merges the fields, up to the last id
// of the page. The values of a list are sorted first: with the plain id, SQLite would walk along all cases.
function selectInOrder({ lists, singles, fromEnd }: SearchShape): SQL {
  const each = lists.map((list, index) => {
    const rows =
      index < singles
        ? valuesOf(index, sql`value = ${sql.placeholder(`value${index}`)}`)
        : valuesOf(index, isIn(list), sql`+case_id as case_id`)
    return sql`${rows} and ${isBetween(sql`case_id`)}`
  })
  return sql`${sql.join(each, sql` intersect `)} ${firstOf(sql`case_id`, fromEnd)}`
}

function valuesOf(index: number, isWanted: SQL, id = sql`case_id`): SQL {
  return sql`select ${id} from case_values where ${ofField(index)} and ${isWanted}`
}

function isIn(list: SearchShape['lists'][number] | undefined): SQL {
  return list?.includes(sql`value`) ?? sql`false`
}

function isBetween(id: SQL): SQL {
  return sql`${id} > ${given.after} and ${id} < ${given.before}`
}

// With `+`, SQLite sorts what is found. Else it may walk along the values of all cases.
function firstOf(id: SQL, fromEnd: boolean): SQL {
  return sql`order by ${id} ${sql.raw(fromEnd ? 'desc' : 'asc')} limit ${given.limit}`
}
