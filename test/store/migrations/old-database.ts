import { readMigrations } from '../../../src/store/migrations.ts'
import { askPostgres } from '../databases/ask-postgres.ts'
import { createDatabase } from '../databases/create-database.ts'

const index = 'runs_by_replayed'

/** Returns the URL of a database that lacks one migration, which makes an index of the table `runs`. */
export async function createOldDatabase(): Promise<string> {
  const url = await createDatabase()
  const made = readMigrations('postgres').find(({ sql }) => sql.join().includes(index))
  await askPostgres(url, `drop index ${index}; delete from rostrum_migrations where hash = '${made?.hash}'`)
  return url
}

/** True if the database of `createOldDatabase` has been migrated. */
export async function isMigrated(url: string): Promise<boolean> {
  const found = await askPostgres(url, `select 1 from pg_indexes where indexname = '${index}'`)
  return found.length > 0
}
