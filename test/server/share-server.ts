import { inject } from 'vitest'
import { createGatewayClient, type GatewayClient } from './gateway-client.ts'
import type { SharedAccount } from './serve-gateway.ts'

export interface SharedServer extends GatewayClient {
  /** The account of the admin's token. No other file uses it. */
  readonly account: string
  /** For other commands on the same store. */
  readonly settings: { readonly DATABASE_URL: string }
}

/**
 * Gives a file a new account on the gateway that the files share. It runs as `startServer()` starts one. A file that
 * writes to a second account names it after its own.
 */
export async function shareServer(): Promise<SharedServer> {
  const answer = await fetch(inject('gatewayUrl'))
  const text = await answer.text()
  if (!answer.ok) throw new Error(`No account was made: ${text}`)
  const { account, ...address } = JSON.parse(text) as SharedAccount
  return { ...createGatewayClient(address), account, settings: { DATABASE_URL: address.databaseUrl } }
}
