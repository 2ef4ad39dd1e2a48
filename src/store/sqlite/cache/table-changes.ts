import type { PrepareText, RawStatement } from '../connection/create-prepare.ts'

/** Counts the changes of this process to tables. */
interface TableChanges {
  /**
   * Returns a count that rises when a statement has changed rows of the table, in its transaction: SQLite reads nothing
   * else before that ends. Statements that were prepared before this call are not counted.
   */
  of(tableName: string): () => number
  /** Prepares a statement that is counted. */
  readonly prepare: PrepareText
}

export function createTableChanges(prepareText: PrepareText): TableChanges {
  const counts = new Map<string, number>()

  function countRuns(statement: RawStatement, tableName: string): RawStatement {
    return {
      ...statement,
      run(values, before) {
        const rows = statement.run(values, before)
        // A statement that returns rows has changed these alone.
        const hasChanged = rows.length > 0 || statement.columns.length === 0
        if (hasChanged) counts.set(tableName, (counts.get(tableName) ?? 0) + 1)
        return rows
      },
    }
  }

  return {
    of(tableName) {
      counts.set(tableName, counts.get(tableName) ?? 0)
      return () => counts.get(tableName) ?? 0
    },
    prepare(text, params) {
      const statement = prepareText(text, params)
      const writes = (name: string) => new RegExp(`\\b(into|update|delete from) "?${name}\\b`, 'i').test(text)
      const tableName = counts.keys().find(writes)
      return tableName === undefined ? statement : countRuns(statement, tableName)
    },
  }
}
