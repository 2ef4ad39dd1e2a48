import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Codec, flagCodec } from './codecs.ts'
import type { ColumnDescription, TableDescription } from './describe-table.ts'

declare const value: unique symbol

/** A column of a built table that remembers the type of its values. */
export type StoreColumn<Value = unknown> = SQLiteColumn & {
  readonly [value]?: Value
  readonly codec?: Codec | undefined
}

type StoreTable<D extends TableDescription = TableDescription> = SQLiteTable & {
  readonly [Key in keyof D['columns']]: StoreColumn<ValueOf<D['columns'][Key]>>
}

/**
 * The Drizzle tables of a store. Both databases use the types of SQLite: the builders that statements are written with
 * have the same methods in both, and one statement is written for both.
 */
export type TablesOf<D extends Readonly<Record<string, TableDescription>>> = {
  readonly [Name in keyof D]: StoreTable<D[Name]>
}

/** The columns of a built table, which has other members too. */
export type ColumnsOf<T> = Omit<T, keyof SQLiteTable>

type ValueOf<C> = C extends ColumnDescription<infer Value> ? Value : never

/** What a statement selects: columns by the names that their values get in the row. */
export type Selection = Readonly<Record<string, StoreColumn>>

export type RowOf<S extends Selection> = {
  readonly [Name in keyof S]: S[Name] extends StoreColumn<infer Value> ? Value : never
}

/** An expression that both databases answer with a number, for a selection. */
export function numberOf(expression: SQL): StoreColumn<number> {
  return expression as unknown as StoreColumn<number>
}

/** A condition, for a selection. */
export function flagOf(condition: SQL): StoreColumn<boolean> {
  const number = sql`case when ${condition} then 1 else 0 end`
  return Object.assign(number, { codec: flagCodec }) as unknown as StoreColumn<boolean>
}

/** An expression that both databases answer with a text or null, for a selection. */
export function textOf(expression: SQL): StoreColumn<string | null> {
  return expression as unknown as StoreColumn<string | null>
}

/** An expression that both databases answer with a value of the column, for a selection. */
export function readAs<Value>(
  { codec, table, name }: StoreColumn<Value>,
  expression: SQL,
): StoreColumn<Value> {
  return Object.assign(expression, { codec, table, name }) as unknown as StoreColumn<Value>
}

/** A column that an expression may leave out, for a selection. */
export function orNull<Value>(column: StoreColumn<Value>): StoreColumn<Value | null> {
  return column
}
