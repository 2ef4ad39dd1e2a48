import SqliteDatabase from 'better-sqlite3'
import { askPostgres } from './ask-postgres.ts'

/** The rows of a query that both databases understand, read over a connection of its own. */
export async function readRows<Row extends object>(url: string, query: string): Promise<Row[]> {
  if (!url.startsWith('sqlite:')) return askPostgres<Row>(url, query)
  const client = new SqliteDatabase(url.slice('sqlite:'.length), { readonly: true })
  const rows = client.prepare<[], Row>(query).all()
  client.close()
  return rows
}

/** The steps of SQLite's plan for a statement. */
export async function explain(url: string, statement: string): Promise<string[]> {
  const steps = await readRows<{ readonly detail: string }>(url, `explain query plan ${statement}`)
  return steps.map(({ detail }) => detail)
}
