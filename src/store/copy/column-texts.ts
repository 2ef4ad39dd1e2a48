import type { ColumnDescription } from '../tables/describe-table.ts'

/** A row as it travels and as it is compared: a text for each column, the same from both databases. */
export type RowTexts = readonly (string | null)[]

/** How the values of a column become texts and come back; each takes and gives SQL. */
export interface ColumnTexts {
  readonly writeInSqlite: (column: string) => string
  readonly writeInPostgres: (column: string) => string
  readonly readInPostgres: (text: string) => string
}

// Times are milliseconds since 1970, as SQLite's rows have them; what PostgreSQL had besides would show as a fraction.
export const textsOf: Readonly<Record<ColumnDescription['type'], ColumnTexts>> = {
  text: {
    writeInSqlite: column => column,
    writeInPostgres: column => column,
    readInPostgres: text => text,
  },
  integer: {
    writeInSqlite: column => `cast(${column} as text)`,
    writeInPostgres: column => `${column}::text`,
    readInPostgres: text => `(${text})::bigint`,
  },
  boolean: {
    writeInSqlite: column => `cast(${column} as text)`,
    writeInPostgres: column => `${column}::int::text`,
    readInPostgres: text => `(${text})::int::boolean`,
  },
  time: {
    writeInSqlite: column => `cast(${column} as text)`,
    writeInPostgres: column => `trim_scale(extract(epoch from ${column}) * 1000)::text`,
    readInPostgres: text => `timestamptz 'epoch' + (${text})::bigint * interval '1 millisecond'`,
  },
  bytes: {
    // SQLite takes the hex of null for an empty text.
    writeInSqlite: column => `case when ${column} is not null then lower(hex(${column})) end`,
    writeInPostgres: column => `encode(${column}, 'hex')`,
    readInPostgres: text => `decode(${text}, 'hex')`,
  },
}
