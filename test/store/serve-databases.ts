import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { openStore } from '../../src/store/open-store.ts'
import { forTests, type PostgresServer, startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers every request with the URL of a new PostgreSQL database: migrated, or empty on the path `/empty`. */
    databasesUrl: string
  }
}

/**
 * Runs once before the test files, in a process of its own. Starts one PostgreSQL for all of them when the first file
 * asks for a database, so that a run without PostgreSQL does not wait for it.
 */
export default async function serveDatabases(project: TestProject): Promise<() => Promise<void>> {
  let postgres: Promise<PostgresServer> | undefined
  let migrated: Promise<string> | undefined
  const server = createServer(async ({ url }, response) => {
    try {
      postgres ??= startPostgres([...forTests, '-c', 'max_connections=300'])
      const { createDatabase } = await postgres
      migrated ??= migrate(await createDatabase())
      response.end(await createDatabase(url === '/empty' ? undefined : await migrated))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  project.provide('databasesUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return async () => {
    server.close()
    await (await postgres)?.stop()
  }
}

// To copy a migrated database takes a fifth of the processor time of the migrations.
async function migrate(url: string): Promise<string> {
  await (await openStore({ url })).close()
  return url
}
