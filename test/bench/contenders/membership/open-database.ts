import SqliteDatabase, { type Database } from 'better-sqlite3'

/** The contender's own copy of the data, as durable as the gateway's: WAL, `synchronous=FULL`, foreign keys. */
export function openDatabase(): Database {
  const path = process.env.BENCH_DATABASE
  if (path === undefined) throw new Error('BENCH_DATABASE is not set; contenders are started by the bench.')
  const client = new SqliteDatabase(path, { fileMustExist: true })
  client.pragma('journal_mode = WAL')
  client.pragma('synchronous = FULL')
  client.pragma('foreign_keys = ON')
  return client
}
