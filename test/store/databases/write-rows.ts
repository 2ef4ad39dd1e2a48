import SqliteDatabase from 'better-sqlite3'
import { askPostgres } from './ask-postgres.ts'

/** Runs a statement that both databases understand, over a connection of its own. Waits for the locks of a gateway. */
export async function writeRows(url: string, statement: string): Promise<void> {
  if (!url.startsWith('sqlite:')) return void (await askPostgres(url, statement))
  const client = new SqliteDatabase(url.slice('sqlite:'.length), { fileMustExist: true, timeout: 10_000 })
  client.prepare(statement).run()
  client.close()
}
