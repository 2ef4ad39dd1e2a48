import type { TestProject } from 'vitest/node'
import { serveText } from '../processes/serve-text.ts'
import { startForwarder } from './forward-calls.ts'
import { issue, keepStore } from './serve-tokens.ts'
import { startServer, type TestServer } from './start-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers every request with a `SharedAccount`. */
    gatewayUrl: string
  }
}

/** A new account on gateways that the test files share. */
export interface SharedAccount {
  readonly account: string
  readonly adminToken: string
  readonly databaseUrl: string
  /** One on the path `/`, two of one PostgreSQL on `/postgres`. */
  readonly baseUrls: readonly string[]
  /** Of the forwarder that scripts of these gateways may call. */
  readonly forwarderUrl: string
}

/**
 * Runs once before the test files, in a process of its own. Starts one gateway for all files that need no settings of
 * their own, and two on one PostgreSQL, when the first file asks: to start one takes longer than most files run.
 */
export default async function serveGateways(project: TestProject): Promise<() => Promise<void>> {
  const forwarder = await startForwarder()
  const started = new Map<string, Promise<TestServer[]>>()
  const closeStores: (() => Promise<void>)[] = []
  async function start(path: string): Promise<TestServer[]> {
    const settings = { ROSTRUM_GRAPHQL_HOSTS: forwarder.host }
    if (path !== '/postgres') return [await startServer(settings)]
    const { databasesUrl } = project.getProvidedContext()
    const answer = await fetch(databasesUrl)
    if (!answer.ok) throw new Error(`No database was created: ${await answer.text()}`)
    const replica = {
      ...settings,
      DATABASE_URL: await answer.text(),
      ROSTRUM_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    }
    return Promise.all([startServer(replica), startServer(replica)])
  }
  async function startWithStore(path: string): Promise<TestServer[]> {
    const gateways = await start(path)
    closeStores.push(keepStore(databaseUrlOf(gateways)))
    return gateways
  }
  let accounts = 0
  async function addAccount(path: string): Promise<SharedAccount> {
    const starting = started.get(path) ?? startWithStore(path)
    started.set(path, starting)
    const gateways = await starting
    accounts += 1
    const account = `shared-${accounts}`
    const databaseUrl = databaseUrlOf(gateways)
    const adminToken = await issue({ databaseUrl, request: { account, scopes: ['admin'] } })
    const baseUrls = gateways.map(({ baseUrl }) => baseUrl)
    return { account, adminToken, databaseUrl, baseUrls, forwarderUrl: forwarder.url }
  }
  const { url, close } = await serveText(async request =>
    JSON.stringify(await addAccount(request.url ?? '/')),
  )
  project.provide('gatewayUrl', url)
  return async () => {
    close()
    // Without those that did not start, which failed a file.
    const gateways = await Promise.all([...started.values()].map(each => each.catch(() => [])))
    await Promise.allSettled(closeStores.map(close => close()))
    await Promise.all(gateways.flat().map(gateway => gateway.stop()))
    forwarder.close()
  }
}

function databaseUrlOf([first]: readonly TestServer[]): string {
  return first?.settings.DATABASE_URL ?? ''
}
