import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { forTests, type PostgresServer, startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers every request with the URL of a new, empty PostgreSQL database. */
    databasesUrl: string
  }
}

/**
 * Runs once before the test files, in a process of its own. Starts one PostgreSQL for all of them when the first file
 * asks for a database, so that a run without PostgreSQL does not wait for it.
 */
export default async function serveDatabases(project: TestProject): Promise<() => Promise<void>> {
  let postgres: Promise<PostgresServer> | undefined
  const server = createServer(async (_request, response) => {
    try {
      postgres ??= startPostgres([...forTests, '-c', 'max_connections=300'])
      response.end(await (await postgres).createDatabase())
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
