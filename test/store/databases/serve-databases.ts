import { text } from 'node:stream/consumers'
import type { TestProject } from 'vitest/node'
import { openStore } from '../../../src/store/open-store.ts'
import { serveText } from '../../server/processes/serve-text.ts'
import { cleanDatabase, readDatabaseShape } from './clean-database.ts'
import { forTests, type PostgresServer, startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Answers a GET with the URL of a PostgreSQL database without rows: migrated, or without tables on the path
     * `/empty`. A POST gives one back, whose URL is the body, for another test.
     */
    databasesUrl: string
  }
}

/**
 * Runs once before the test files, in a process of its own. Starts one PostgreSQL for all of them when the first file
 * asks for a database, so that a run without PostgreSQL does not wait for it.
 */
export default async function serveDatabases(project: TestProject): Promise<() => Promise<void>> {
  let postgres: Promise<PostgresServer> | undefined
  let migrated: Promise<Migrated> | undefined
  const cleaned: string[] = []
  async function findDatabase(path: string | undefined): Promise<string> {
    postgres ??= startPostgres([...forTests, '-c', 'max_connections=300'])
    const { createDatabase } = await postgres
    if (path === '/empty') return createDatabase()
    migrated ??= migrate(await createDatabase())
    const template = await migrated
    return cleaned.pop() ?? createDatabase(template.url)
  }
  const { url, close } = await serveText(async request => {
    if (request.method !== 'POST') return findDatabase(request.url)
    const given = await text(request)
    if (migrated !== undefined && (await cleanDatabase(given, (await migrated).shape))) cleaned.push(given)
    return ''
  })
  project.provide('databasesUrl', url)
  return async () => {
    close()
    await (await postgres)?.stop()
  }
}

interface Migrated {
  readonly url: string
  readonly shape: string
}

// To copy a migrated database takes a fifth of the processor time of the migrations.
async function migrate(url: string): Promise<Migrated> {
  await (await openStore({ url })).close()
  return { url, shape: await readDatabaseShape(url) }
}
