import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { TestProject } from 'vitest/node'
import { issueToken } from '../../../src/commands/issue-token.ts'
import { scopes as allScopes } from '../../../src/credentials/caller.ts'
import { openStore } from '../../../src/store/open-store.ts'
import type { TokenRequest } from '../clients/gateway-client.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Issues the token of a `TokenOrder`, and answers with the token alone. */
    tokensUrl: string
  }
}

/** A token to issue, and the store that gets it, as in the setting DATABASE_URL. */
export interface TokenOrder {
  readonly databaseUrl: string
  readonly request: TokenRequest
}

/**
 * Runs once before the test files, in a process of its own. Issues their tokens, as the `token` command does: to start
 * the command takes fifty times the processor time.
 */
export default async function serveTokens(project: TestProject): Promise<() => void> {
  const server = createServer(async (request, response) => {
    try {
      response.end(await issue((await json(request)) as TokenOrder))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  project.provide('tokensUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return () => void server.close()
}

/** Issues a token in a store. */
export async function issue({ databaseUrl, request }: TokenOrder): Promise<string> {
  const {
    account,
    user = null,
    email = null,
    scopes = allScopes.filter(scope => scope !== 'admin'),
  } = request
  const store = await openStore({ url: databaseUrl })
  try {
    return await issueToken(store, {
      accountCode: account,
      scopes,
      userId: user,
      email,
      ...{ displayName: null, label: null, expiresAt: null },
    })
  } finally {
    await store.close()
  }
}
