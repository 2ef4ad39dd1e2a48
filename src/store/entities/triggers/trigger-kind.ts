import { sql } from 'drizzle-orm'
import { type SavedTrigger, triggerKinds } from '../../../domain/scripts/trigger-kinds.ts'
import type { RostrumError } from '../../../errors.ts'
import { select } from '../../columns.ts'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import { all } from '../../work.ts'
import type { FindTriggers } from '../parts.ts'

/** What the rows of all kinds have. */
export interface TriggerRow {
  readonly id: number
  readonly functionId: number
  readonly scopes: readonly string[]
  readonly enabled: boolean
  /** Absent if the triggers of the kind belong to no case type. */
  readonly caseTypeCode?: string
  readonly name?: string
}

/** A kind of saved triggers. */
export interface TriggerKind<Row extends TriggerRow> {
  readonly trigger: SavedTrigger
  /** Triggers with the same values in these columns share a maximum, and their names differ. */
  readonly within: readonly (keyof Row & string)[]
  /** Columns that order a list. */
  readonly order: readonly (keyof Row & string)[]
  readonly tooMany: (row: Row, max: number) => RostrumError
  /** Null for triggers without a name. */
  readonly sameName: ((row: Row, existingId: number) => RostrumError) | null
  /** Names a trigger that keeps its function from being removed. */
  readonly describe: (row: Row) => string
}

/** The table of a kind, and the columns that its rows have. */
export function tableOf({ tables }: Pick<Dialect, 'tables'>, trigger: SavedTrigger) {
  const table = tables[triggerKinds[trigger].savedIn]
  return { table, selection: select(table, { omit: ['accountCode', 'createdAt'] }) }
}

// Maximum number of triggers to read. A message names the first ones.
const maxNamed = sql.raw('11')

const { accountCode, functionId } = placeholders('accountCode', 'functionId')

/** Names the triggers of a kind that use a function. */
export function createFindTriggers<Row extends TriggerRow>(
  dialect: Dialect,
  { trigger, describe }: Pick<TriggerKind<Row>, 'trigger' | 'describe'>,
): FindTriggers {
  const { table, selection } = tableOf(dialect, trigger)
  const find = dialect.prepare(
    sql`
      select ${columnsOf(selection)} from ${table}
      where account_code = ${accountCode} and function_id = ${functionId} order by id limit ${maxNamed}`,
    selection,
  )
  return function* findTriggers(accountCode, functionId) {
    return (yield* all(find, { accountCode, functionId })).map(row => describe(row as unknown as Row))
  }
}
