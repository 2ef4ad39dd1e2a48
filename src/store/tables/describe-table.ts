import { type Codec, flagCodec, jsonCodec, tenthsCodec, wordsCodec } from './codecs.ts'

/** A column as both databases have it. `Value` is the type that readers of rows return for it. */
export interface ColumnDescription<Value = unknown> {
  readonly type: 'text' | 'integer' | 'boolean' | 'time' | 'bytes'
  /** Converts between the values of `type` and those that readers and writers of rows see. */
  readonly codec?: Codec
  readonly nullable: boolean
  /**
   * `now` is the start of the transaction on PostgreSQL, `clock` the time of the row itself. `next id` is a number
   * that the whole store counts: an identity on PostgreSQL, a row of `counters` on SQLite.
   */
  readonly default: number | 'now' | 'clock' | 'next id' | null
  /** Phantom: carries the type of the column's values. */
  readonly value?: Value
}

/** Columns and tables are named by their keys; the database's names are the same in snake case. */
export interface TableDescription {
  readonly columns: Readonly<Record<string, ColumnDescription>>
  /** Starts with the account, so that no row is found or blocked across accounts. */
  readonly key: readonly string[]
  readonly indexes?: Readonly<Record<string, readonly string[]>>
  readonly uniqueIndexes?: Readonly<Record<string, readonly string[]>>
  /** Indexes of only those rows that have a value in the column `of`. They cost other rows nothing. */
  readonly sparseIndexes?: Readonly<Record<string, SparseIndex>>
  readonly references?: readonly Reference[]
}

interface SparseIndex {
  readonly columns: readonly string[]
  readonly of: string
}

/** Columns of this table that name a row of another one by its key. */
export interface Reference {
  readonly columns: readonly string[]
  readonly table: string
  /** SQLite keeps store-wide numbers under an empty account code, which no account has. */
  readonly only?: 'postgres'
}

const required = { nullable: false, default: null } as const

export const text = <Value extends string = string>(): ColumnDescription<Value> => ({
  type: 'text',
  ...required,
})
export const integer: ColumnDescription<number> = { type: 'integer', ...required }
export const boolean: ColumnDescription<boolean> = { type: 'boolean', ...required }
export const time: ColumnDescription<Date> = { type: 'time', ...required }
export const bytes: ColumnDescription<Buffer> = { type: 'bytes', ...required }

/** A list of words without spaces. */
export const words: ColumnDescription<readonly string[]> = { type: 'text', codec: wordsCodec, ...required }
/** True or false, as 1 or 0. */
export const flag: ColumnDescription<boolean> = { type: 'integer', codec: flagCodec, ...required }
/** A number with one decimal place, as an integer. */
export const tenths: ColumnDescription<number> = { type: 'integer', codec: tenthsCodec, ...required }

/** A value as a JSON text. Callers know its row by the member `knownBy`, which statements select with it. */
export function json<Value>(knownBy = 'id'): ColumnDescription<Value> {
  return { type: 'text', codec: jsonCodec(knownBy), ...required }
}

export function nullable<Value>(column: ColumnDescription<Value>): ColumnDescription<Value | null> {
  return { ...column, nullable: true }
}

export function withDefault<Value>(
  column: ColumnDescription<Value>,
  value: ColumnDescription['default'],
): ColumnDescription<Value> {
  return { ...column, default: value }
}

/** Columns, keys and references that several tables have. */
export const accountCode = text()
export const id = integer
export const byId = ['accountCode', 'id'] as const
export const createdAt = withDefault(time, 'now')
export const accountReference = { columns: ['accountCode'], table: 'accounts' } as const
export const caseTypeReference = { columns: ['accountCode', 'caseTypeCode'], table: 'caseTypes' } as const
export const functionReference = { columns: ['accountCode', 'functionId'], table: 'functions' } as const

/** `displayName` is `display_name` in the database. */
export function toColumnName(key: string): string {
  return key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}
