import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core'
import {
  accounts,
  apiTokens,
  counters,
  idempotencyKeys,
  idempotencySteps,
  idempotencyUsage,
  membershipEvents,
  teamMemberships,
  teams,
  users,
} from '../postgres/tables.ts'
import { type ColumnTexts, textsOf } from './column-texts.ts'

export interface CopiedTable {
  readonly name: string
  readonly columns: readonly CopiedColumn[]
  /** The primary key, which gives the rows their one order. */
  readonly key: readonly CopiedColumn[]
}

export interface CopiedColumn extends ColumnTexts {
  readonly name: string
  readonly isText: boolean
}

/** All tables of a store, each after those that its rows refer to. */
export const copiedTables: readonly CopiedTable[] = [
  accounts,
  users,
  teams,
  teamMemberships,
  apiTokens,
  counters,
  membershipEvents,
  idempotencyKeys,
  idempotencySteps,
  idempotencyUsage,
].map(describeTable)

function describeTable(table: PgTable): CopiedTable {
  const config = getTableConfig(table)
  const columns = config.columns.map(column => {
    const type = column.getSQLType()
    return { name: column.name, isText: type === 'text', ...textsOf(type) }
  })
  const keyNames = config.primaryKeys.flatMap(primaryKey => primaryKey.columns.map(({ name }) => name))
  return {
    name: config.name,
    columns,
    key: keyNames.flatMap(name => columns.filter(column => column.name === name)),
  }
}
