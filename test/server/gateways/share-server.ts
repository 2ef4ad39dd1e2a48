import { inject } from 'vitest'
import { createGatewayClient, type GatewayClient } from '../clients/gateway-client.ts'
import type { SharedAccount } from './serve-gateways.ts'

/** Its account is one that no other file uses. */
export interface SharedServer extends GatewayClient {
  /** For other commands on the same store. */
  readonly settings: { readonly DATABASE_URL: string }
  /** The URL by which a script on this gateway reaches a server that the file started at `url`. */
  urlForScripts(url: string): string
}

/**
 * Gives a file a new account on the gateway that the files share. It runs as `startServer()` starts one, but scripts
 * may call servers of the file. A file that writes to a second account names it after its own.
 */
export async function shareServer(): Promise<SharedServer> {
  const [server] = await askForAccount('/')
  return server
}

/** The same on two gateways of one PostgreSQL that the files share. They have a key for the secrets of webhooks. */
export function shareReplicas(): Promise<readonly [SharedServer, SharedServer]> {
  return askForAccount('/postgres')
}

async function askForAccount(path: string): Promise<readonly [SharedServer, SharedServer]> {
  const answer = await fetch(new URL(path, inject('gatewayUrl')))
  const text = await answer.text()
  if (!answer.ok) throw new Error(`No account was made: ${text}`)
  const { account, adminToken, databaseUrl, baseUrls, forwarderUrl } = JSON.parse(text) as SharedAccount
  const share = (baseUrl = '') => ({
    ...createGatewayClient({ baseUrl, adminToken, account, databaseUrl }),
    settings: { DATABASE_URL: databaseUrl },
    urlForScripts: (url: string) => url.replace('http://127.0.0.1:', `${forwarderUrl}/`),
  })
  return [share(baseUrls[0]), share(baseUrls[1])]
}
