import { type ColumnDescription, type TableDescription, toColumnName } from '../tables/describe-table.ts'
import { descriptions } from '../tables/descriptions.ts'

/** A row in the form in which it is copied and compared: one text for each column, the same from both databases. */
export type RowTexts = readonly (string | null)[]

export interface CopiedTable {
  readonly name: string
  readonly columns: readonly CopiedColumn[]
  /** The columns of the primary key. Rows are read in its order. */
  readonly key: readonly CopiedColumn[]
}

/** How to convert a column's values to text and back, as SQL expressions. `?` stands for the value or the text. */
interface CopiedColumn {
  readonly name: string
  readonly isText: boolean
  readonly writeInSqlite: string
  readonly writeInPostgres: string
  readonly readInPostgres: string
}

type Texts = readonly [writeInSqlite: string, writeInPostgres: string, readInPostgres: string]

// Converts a time to milliseconds since 1970, as SQLite stores it. A fraction would show digits that only PostgreSQL
// has.
const milliseconds = 'trim_scale(extract(epoch from ?) * 1000)::text'
const textsOf: Readonly<Record<ColumnDescription['type'], Texts>> = {
  text: ['?', '?', '?'],
  integer: ['cast(? as text)', '?::text', '(?)::bigint'],
  boolean: ['cast(? as text)', '?::int::text', '(?)::int::boolean'],
  time: ['cast(? as text)', milliseconds, "timestamptz 'epoch' + (?)::bigint * interval '1 millisecond'"],
  // In SQLite, the hex of null is an empty text.
  bytes: ['case when ? is not null then lower(hex(?)) end', "encode(?, 'hex')", "decode(?, 'hex')"],
}

/** All tables of a store. Each comes after the tables that its rows refer to. */
export const copiedTables: readonly CopiedTable[] = Object.entries<TableDescription>(descriptions).map(
  ([tableName, { columns, key }]) => {
    const copied = new Map(
      Object.entries(columns).map(([columnKey, { type }]) => [columnKey, copy(columnKey, type)]),
    )
    const keyColumns = key.flatMap(columnKey => copied.get(columnKey) ?? [])
    return { name: toColumnName(tableName), columns: [...copied.values()], key: keyColumns }
  },
)

function copy(columnKey: string, type: ColumnDescription['type']): CopiedColumn {
  const name = toColumnName(columnKey)
  const [writeInSqlite, writeInPostgres, readInPostgres] = textsOf[type]
  return {
    name,
    isText: type === 'text',
    writeInSqlite: writeInSqlite.replaceAll('?', `"${name}"`),
    writeInPostgres: writeInPostgres.replaceAll('?', `"${name}"`),
    readInPostgres,
  }
}
