import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { issue } from './serve-tokens.ts'
import { startServer, type TestServer } from './start-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers every request with a `SharedAccount`. */
    gatewayUrl: string
  }
}

/** A new account on the gateway that the test files share. */
export interface SharedAccount {
  readonly account: string
  readonly adminToken: string
  readonly baseUrl: string
  readonly databaseUrl: string
}

/**
 * Runs once before the test files, in a process of its own. Starts one gateway for all files that need no settings of
 * their own when the first of them asks: to start one takes longer than most of them run.
 */
export default async function serveGateway(project: TestProject): Promise<() => Promise<void>> {
  let gateway: Promise<TestServer> | undefined
  let accounts = 0
  async function addAccount(): Promise<SharedAccount> {
    gateway ??= startServer()
    const { baseUrl, settings } = await gateway
    accounts += 1
    const account = `shared-${accounts}`
    const databaseUrl = settings.DATABASE_URL ?? ''
    const adminToken = await issue({ databaseUrl, request: { account, scopes: ['admin'] } })
    return { account, adminToken, baseUrl, databaseUrl }
  }
  const server = createServer(async (_request, response) => {
    try {
      response.end(JSON.stringify(await addAccount()))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  project.provide('gatewayUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return async () => {
    server.close()
    await (await gateway)?.stop()
  }
}
