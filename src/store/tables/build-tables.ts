import type {
  foreignKey,
  index,
  primaryKey,
  SQLiteColumn,
  SQLiteColumnBuilderBase,
  SQLiteTable,
  sqliteTable,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { type ColumnDescription, type TableDescription, toColumnName } from './describe-table.ts'
import { type Descriptions, descriptions } from './descriptions.ts'
import type { TablesOf } from './tables-of.ts'

/** The functions of one of Drizzle's cores. Both have the same ones, and SQLite's types stand for both. */
export interface TableKit {
  readonly createTable: typeof sqliteTable
  readonly primaryKey: typeof primaryKey
  readonly foreignKey: typeof foreignKey
  readonly index: typeof index
  readonly uniqueIndex: typeof uniqueIndex
  readonly buildColumn: (name: string, column: ColumnDescription) => SQLiteColumnBuilderBase
  /** The database itself. */
  readonly engine: 'sqlite' | 'postgres'
}

type BuiltTable = SQLiteTable & Readonly<Record<string, SQLiteColumn>>

/** The Drizzle tables of a database by the names of their descriptions. drizzle-kit writes the migrations from them. */
export function buildTables(kit: TableKit): TablesOf<Descriptions> {
  const built = new Map<string, BuiltTable>()
  for (const description of Object.values<TableDescription>(descriptions)) {
    built.set(description.name, buildTable(kit, description, built))
  }
  const byKey = Object.entries(descriptions).map(([key, { name }]) => [key, built.get(name)])
  return Object.fromEntries(byKey)
}

function buildTable(
  kit: TableKit,
  { name, columns, key, indexes = {}, uniqueIndexes = {}, references = [] }: TableDescription,
  built: ReadonlyMap<string, BuiltTable>,
): BuiltTable {
  const builders = Object.entries(columns).map(([key, column]) => {
    return [key, kit.buildColumn(toColumnName(key), column)]
  })
  const ofEngine = references.filter(({ only = kit.engine }) => only === kit.engine)
  const table = kit.createTable(name, Object.fromEntries(builders), self => [
    kit.primaryKey({ columns: pick(self, key) }),
    ...Object.entries(indexes).map(([name, keys]) => kit.index(name).on(...pick(self, keys))),
    ...Object.entries(uniqueIndexes).map(([name, keys]) => kit.uniqueIndex(name).on(...pick(self, keys))),
    ...ofEngine.map(({ columns, table }) =>
      kit.foreignKey({
        columns: pick(self, columns),
        foreignColumns: pick(built.get(table) ?? {}, keyOf(table)),
      }),
    ),
  ])
  return table as unknown as BuiltTable
}

function pick(table: object, keys: readonly string[]): [SQLiteColumn, ...SQLiteColumn[]] {
  const columns = new Map<string, SQLiteColumn>(Object.entries(table))
  const picked = keys.map(key => {
    const column = columns.get(key)
    if (column === undefined) throw new Error(`A table is described with a column \`${key}\` that it lacks.`)
    return column
  })
  return picked as [SQLiteColumn, ...SQLiteColumn[]]
}

function keyOf(name: string): readonly string[] {
  return Object.values<TableDescription>(descriptions).find(table => table.name === name)?.key ?? []
}
