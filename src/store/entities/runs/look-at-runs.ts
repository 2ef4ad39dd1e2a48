import { type SQL, sql } from 'drizzle-orm'
import type { RunFilter, RunStore, StoredRun } from '../../../domain/runs/run-store.ts'
import type { Database } from '../../database.ts'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import { flagOf, numberOf, orNull, type StoreColumn } from '../../tables/tables-of.ts'
import { selectRun } from './run-statements.ts'

// Maximum number of rows of one look. SQLite reads them in about 1 ms, which blocks the event loop.
const maxRows = sql.raw('1000')

// Filters with an index that ends in the id, those that usually leave the fewest runs first.
const indexed: readonly (keyof RunFilter)[] = [
  'runId',
  'replayOf',
  'txnId',
  'caseId',
  'functionVersion',
  'functionId',
  'outcome',
  'state',
]
// Each of these may leave many runs, so the one that leaves the fewest is found by counting.
const counted = ['caseId', 'functionVersion', 'functionId', 'outcome', 'state'] as const
const unindexed: readonly (keyof RunFilter)[] = ['trigger', 'nameStart', 'startedAfter', 'startedBefore']

/**
 * Looks for runs by a filter. One member of the filter chooses the index, or the key without one. If there are other
 * members, a look reads a bounded number of rows in the order of that index, however few of them match. Of several
 * members with an index, one that leaves no more rows than that is preferred.
 */
export function createLookAtRuns(database: Database): RunStore['look'] {
  const statements = new Map<string, ReturnType<typeof prepareLook>>()
  const countRows = createCountRows(database)

  async function chooseLead(accountCode: string, filter: RunFilter, before: number) {
    const isGiven = (name: keyof RunFilter) => filter[name] !== null
    const usual = indexed.find(isGiven) ?? null
    const given = counted.filter(isGiven)
    if (given.length < 2 || usual !== given[0]) return usual
    const counts = await countRows(accountCode, filter, before)
    const [fewest] = given.toSorted((one, other) => counts[one] - counts[other])
    return fewest ?? usual
  }

  // Returns one of at most 18 statements, because each stays prepared, on every connection to PostgreSQL.
  function findStatement(filter: RunFilter, lead: keyof RunFilter | null) {
    const isGiven = (name: keyof RunFilter) => filter[name] !== null
    const others = [...indexed, ...unindexed].filter(name => name !== lead)
    const hasOthers = others.some(isGiven)
    const key = `${lead} ${hasOthers}`
    const statement = statements.get(key) ?? prepareLook(database, lead, hasOthers ? others : [])
    statements.set(key, statement)
    return statement
  }
  return async (accountCode, filter, from, limit) => {
    const before = from ?? 2 ** 53
    const statement = findStatement(filter, await chooseLead(accountCode, filter, before))
    const nameStart = filter.nameStart === null ? null : writeNameStart(filter.nameStart)
    const values = { accountCode, ...filter, nameStart, before, limit }
    const rows = (await database.read(statement, values)).sort((a, b) => b.id - a.id)
    const next = rows[0]?.lookedTo ?? null
    return { runs: rows.filter(({ isMatch }) => isMatch).map(toRun), next }
  }
}

// Names are stored as JSON texts, so those that begin alike begin with the same JSON.
function writeNameStart(start: string): string {
  return JSON.stringify(start).slice(0, -1)
}

// Removes what is not of the run. A copy of the row would ask for all its members, and an unreadable one throws.
function toRun(row: StoredRun): StoredRun {
  Reflect.deleteProperty(row, 'lookedTo')
  Reflect.deleteProperty(row, 'isMatch')
  return row
}

/** Counts the rows that each counted member leaves by itself, up to one more than a look reads. Null leaves none. */
function createCountRows(database: Database) {
  const { runs } = database.tables
  const { accountCode, before } = placeholders('accountCode', 'before')
  const conditionOf = conditions(database)
  const countOf = (name: (typeof counted)[number]) => {
    const { type, is } = conditionOf[name]
    return numberOf(sql`(select count(*) from (
      select 1 from ${runs}
      where ${runs.accountCode} = ${accountCode} and ${runs.id} < ${before}
        and ${is(database.typed(sql.placeholder(name), type))}
      order by ${runs.id} desc limit ${maxRows} + 1
    ) as few)`)
  }
  const selection = {
    caseId: countOf('caseId'),
    functionVersion: countOf('functionVersion'),
    functionId: countOf('functionId'),
    outcome: countOf('outcome'),
    state: countOf('state'),
  }
  // With one plan for all values, PostgreSQL could read every run in search of a rare one.
  const statement = database.prepareMany(sql`select ${columnsOf(selection)}`, selection, 'each time')
  return async (accountCode: string, filter: RunFilter, before: number) => {
    const [counts] = await database.read(statement, { accountCode, ...filter, before })
    if (counts === undefined) throw new Error('A count of runs has no row.')
    return counts
  }
}

/**
 * If more rows may follow, the last row of a look is in its result, whether it matches or not. A null for one of
 * `others` leaves that condition out.
 */
function prepareLook(database: Dialect, lead: keyof RunFilter | null, others: readonly (keyof RunFilter)[]) {
  const { runs } = database.tables
  const { accountCode, before, limit } = placeholders('accountCode', 'before', 'limit')
  const conditionOf = conditions(database)
  const given = (name: keyof RunFilter) => database.typed(sql.placeholder(name), conditionOf[name].type)
  const is = (name: keyof RunFilter) => conditionOf[name].is(given(name))
  const inOrder = sql`
    from ${runs} where ${runs.accountCode} = ${accountCode} and ${runs.id} < ${before}
      ${lead === null ? sql`` : sql`and ${is(lead)}`}
    order by ${runs.id} desc`
  const selectMore = (matches: SQL, lookedTo: SQL) => ({
    ...selectRun(database),
    isMatch: flagOf(matches),
    lookedTo: orNull(numberOf(lookedTo)),
  })
  if (others.length === 0) {
    const selection = selectMore(sql`true`, sql`null`)
    return database.prepareMany(sql`select ${columnsOf(selection)} ${inOrder} limit ${limit}`, selection)
  }
  const matches = sql.join(
    others.map(name => sql`(${given(name)} is null or ${is(name)})`),
    sql` and `,
  )
  const selection = selectMore(matches, sql`look.looked_to`)
  return database.prepareMany(
    sql`
      select ${columnsOf(selection)}
      from (select * ${inOrder} limit ${maxRows}) as runs cross join (
        select (select ${runs.id} ${inOrder} limit 1 offset ${maxRows} - 1) as looked_to
      ) as look
      where ${matches} or ${runs.id} = look.looked_to
      order by ${runs.id} desc limit ${limit}`,
    selection,
  )
}

interface Condition {
  readonly type: 'text' | 'integer'
  readonly is: (value: SQL) => SQL
}

function conditions({ tables: { runs } }: Dialect): Record<keyof RunFilter, Condition> {
  const text = (column: StoreColumn): Condition => ({ type: 'text', is: value => sql`${column} = ${value}` })
  const integer = (is: Condition['is']): Condition => ({ type: 'integer', is })
  return {
    runId: text(runs.runId),
    functionId: integer(value => sql`${runs.functionId} = ${value}`),
    functionVersion: text(runs.functionVersion),
    trigger: text(runs.trigger),
    caseId: integer(value => sql`${runs.caseId} = ${value}`),
    txnId: text(runs.txnId),
    replayOf: text(runs.replayOf),
    outcome: text(runs.outcome),
    state: text(runs.state),
    nameStart: { type: 'text', is: start => sql`substr(${runs.name}, 1, length(${start})) = ${start}` },
    startedAfter: integer(value => sql`${runs.startedAt} > ${value}`),
    startedBefore: integer(value => sql`${runs.startedAt} < ${value}`),
  }
}
