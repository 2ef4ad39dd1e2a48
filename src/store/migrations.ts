import { fileURLToPath } from 'node:url'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { StartError } from '../errors.ts'

/** Named by its hash, so that a migration changed after it was applied is not taken for the same one. */
export interface Migration {
  readonly hash: string
  readonly statements: readonly string[]
}

/** The migrations this code knows, oldest first, as drizzle-kit wrote them. */
export function readMigrations(dialect: 'sqlite' | 'postgres'): Migration[] {
  const folder = fileURLToPath(new URL(`../../drizzle/${dialect}`, import.meta.url))
  return readMigrationFiles({ migrationsFolder: folder }).map(toMigration)
}

/** Those not applied yet. A store that has one we do not know is refused, since we cannot tell what its rows mean. */
export function selectPending(
  known: readonly Migration[],
  applied: readonly string[],
  store: string,
): Migration[] {
  const hashes = new Set(known.map(migration => migration.hash))
  if (applied.some(hash => !hashes.has(hash))) {
    throw new StartError(
      `${store} is newer than this code: it holds migrations that this version does not know. Run the version that made it, or a later one.`,
    )
  }
  return known.filter(migration => !applied.includes(migration.hash))
}

function toMigration({ hash, sql }: MigrationMeta): Migration {
  return { hash, statements: sql }
}
