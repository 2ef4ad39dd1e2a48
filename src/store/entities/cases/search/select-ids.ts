import { type SQL, sql } from 'drizzle-orm'
import { type Dialect, placeholders } from '../../../dialect.ts'

/** How a search finds the ids of a page. `chooseForm` says when. */
export type Form = 'all cases' | 'page of each value' | 'rarest first' | 'few or in order' | 'in order'

interface SearchShape {
  readonly form: Form
  /** The wanted values, a list for each field. */
  readonly lists: readonly ReturnType<Dialect['list']>[]
  /** Number of fields with one wanted value. They come first. */
  readonly singles: number
  readonly hasType: boolean
  readonly fromEnd: boolean
  readonly isShared: boolean
}

// On PostgreSQL, a search of several fields looks up at most this many values of one of them.
const maxFew = sql.raw('500')
// For lists of common values, it looks up 16 pages of the first cases, within these bounds. That takes some
// milliseconds; to merge the fields may take a hundred times as long.
const [minFirst, maxFirst] = [sql.raw('500'), sql.raw('4000')]

const given = placeholders('accountCode', 'caseTypeCode', 'after', 'before', 'limit')

/** The condition for values of the field at this place. The placeholder `field<index>` has its name. */
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
  'few or in order': selectFewOrInOrder,
  'in order': selectInOrder,
}

function selectFromCases({ hasType, fromEnd }: SearchShape): SQL {
  const ofType = hasType ? sql`and cases.case_type_code = ${given.caseTypeCode}` : sql``
  return sql`
    select cases.id from cases
    where cases.account_code = ${given.accountCode} ${ofType} and ${isBetween(sql`cases.id`)}
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

// Looks the cases with the values of the first field up among the values of each other field. It counts them, because
// SQLite could turn another condition into a join that reads all values of the other field.
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

// Reads the first values of each field. If a field has at most `maxFew`, looks their cases up among the values of each
// other field. Otherwise, if a field has a list, looks up the first cases of the type, and is done if they fill the
// page. Otherwise merges the fields. The query leaves none of this to PostgreSQL, which expects too few rows: without
// statistics, one for each field. `offset 0` makes it look each case up by itself, however few it expects.
function selectFewOrInOrder(shape: SearchShape): SQL {
  const { lists, singles, fromEnd } = shape
  const first = lists.map(
    (_, index) => sql`
      select ${sql.raw(String(index))} as place, array(
        ${valuesOf(index, isOf(shape, index))} limit ${maxFew} + 1
      ) as ids`,
  )
  const hasEach = lists.map(
    (_, index) => sql`
      and ((select place from fewest where are_all) = ${sql.raw(String(index))} or exists (
        ${valuesOf(index, isOf(shape, index))} and case_id = few.case_id offset 0
      ))`,
  )
  // A merge must read all values of a list. Common ones are likely to be among the first cases.
  const common = sql`
    union all (
      select id from cases where account_code = ${given.accountCode} and case_type_code = ${given.caseTypeCode}
        and ${isBetween(sql`id`)} and not (select are_all from fewest)
      order by id ${directionOf(fromEnd)}
      limit greatest(${minFirst}, least(16 * ${given.limit}::bigint, ${maxFirst}))
    )`
  const isWhole = sql`((select are_all from fewest) or (select count(*) from looked_up) = ${given.limit})`
  const byId = firstOf(sql`case_id`, fromEnd)
  return sql`
    with fewest as materialized (
      select place, ids, cardinality(ids) <= ${maxFew} as are_all
      from (${sql.join(first, sql` union all `)}) as each order by cardinality(ids) limit 1
    ), looked_up as materialized (
      select case_id from (
        select unnest(ids) as case_id from fewest where are_all ${singles < lists.length ? common : sql``}
        order by case_id ${directionOf(fromEnd)}
      ) as few
      where ${isBetween(sql`case_id`)} ${sql.join(hasEach)} ${byId}
    )
    select case_id from (
      select case_id from looked_up where ${isWhole}
      union all (select case_id from (${merge(shape)}) as merged where not ${isWhole} ${byId})
    ) as found ${byId}`
}

function selectInOrder(shape: SearchShape): SQL {
  return sql`${merge(shape)} ${firstOf(sql`case_id`, shape.fromEnd)}`
}

// The rows of one value are in the order of the ids, so the merge ends with the last id of the page. The rows of a list
// are sorted first: with the plain id, SQLite would walk along all cases.
function merge(shape: SearchShape): SQL {
  const each = shape.lists.map((_, index) => {
    const id = index < shape.singles ? sql`case_id` : sql`+case_id as case_id`
    return sql`${valuesOf(index, isOf(shape, index), id)} and ${isBetween(sql`case_id`)}`
  })
  return sql.join(each, sql` intersect `)
}

function isOf({ lists, singles }: SearchShape, index: number): SQL {
  return index < singles ? sql`value = ${sql.placeholder(`value${index}`)}` : isIn(lists[index])
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
  return sql`order by ${id} ${directionOf(fromEnd)} limit ${given.limit}`
}

function directionOf(fromEnd: boolean): SQL {
  return sql.raw(fromEnd ? 'desc' : 'asc')
}
