import { sql } from 'drizzle-orm'
import type * as sqliteCore from 'drizzle-orm/sqlite-core'
import type { SQLiteColumn, SQLiteColumnBuilderBase } from 'drizzle-orm/sqlite-core'
import { type ColumnDescription, type TableDescription, toColumnName } from './describe-table.ts'
import { type Descriptions, descriptions } from './descriptions.ts'
import type { TablesOf } from './tables-of.ts'

/** One of Drizzle's cores. Both have the same functions, and SQLite's types stand for both. */
export interface TableKit {
  readonly core: Pick<typeof sqliteCore, 'primaryKey' | 'foreignKey' | 'index' | 'uniqueIndex'>
  readonly createTable: typeof sqliteCore.sqliteTable
  readonly buildColumn: (name: string, column: ColumnDescription) => SQLiteColumnBuilderBase
  readonly engine: 'sqlite' | 'postgres'
}

type BuiltTable = Readonly<Record<string, SQLiteColumn>>

/** The Drizzle tables of a database by the names of their descriptions. drizzle-kit writes the migrations from them. */
export function buildTables(kit: TableKit): TablesOf<Descriptions> {
  const built: Record<string, BuiltTable> = {}
  for (const [name, description] of Object.entries<TableDescription>(descriptions)) {
    built[name] = buildTable(kit, { name, ...description }, built)
  }
  return built as unknown as TablesOf<Descriptions>
}

function buildTable(
  { core, createTable, buildColumn, engine }: TableKit,
  {
    name,
    columns,
    key,
    indexes = {},
    uniqueIndexes = {},
    sparseIndexes = {},
    references = [],
  }: TableDescription & { name: string },
  built: Readonly<Record<string, BuiltTable>>,
): BuiltTable {
  const builders = Object.entries(columns).map(([key, column]) => [
    key,
    buildColumn(toColumnName(key), column),
  ])
  const ofEngine = references.filter(({ only = engine }) => only === engine)
  const table = createTable(toColumnName(name), Object.fromEntries(builders), self => [
    core.primaryKey({ columns: pick(self, key) }),
    ...Object.entries(indexes).map(([name, keys]) => core.index(name).on(...pick(self, keys))),
    ...Object.entries(uniqueIndexes).map(([name, keys]) => core.uniqueIndex(name).on(...pick(self, keys))),
    ...Object.entries(sparseIndexes).map(([name, { columns, of }]) =>
      core
        .index(name)
        .on(...pick(self, columns))
        .where(sql`${sql.identifier(toColumnName(of))} is not null`),
    ),
    ...ofEngine.map(({ columns, table }) =>
      core.foreignKey({ columns: pick(self, columns), foreignColumns: pick(built[table], keyOf(table)) }),
    ),
  ])
  const codecs = Object.entries(columns).map(([key, { codec }]) => ({ key, codec }))
  for (const { key, codec } of codecs) Object.assign(pick(table, [key])[0], { codec })
  return table as unknown as BuiltTable
}

function pick(table: object = {}, keys: readonly string[]): [SQLiteColumn, ...SQLiteColumn[]] {
  const columns = new Map<string, SQLiteColumn>(Object.entries(table))
  const picked = keys.map(key => {
    const column = columns.get(key)
    if (column === undefined) throw new Error(`A table is described with a column \`${key}\` that it lacks.`)
    return column
  })
  return picked as [SQLiteColumn, ...SQLiteColumn[]]
}

function keyOf(name: string): readonly string[] {
  return new Map<string, TableDescription>(Object.entries(descriptions)).get(name)?.key ?? []
}
