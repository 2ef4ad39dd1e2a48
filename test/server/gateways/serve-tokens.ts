import { json } from 'node:stream/consumers'
import type { TestProject } from 'vitest/node'
import { issueToken } from '../../../src/commands/issue-token.ts'
import { scopes as allScopes } from '../../../src/credentials/caller.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import type { TokenRequest } from '../clients/gateway-client.ts'
import { serveText } from '../processes/serve-text.ts'

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
  const { url, close } = await serveText(async request => issue((await json(request)) as TokenOrder))
  project.provide('tokensUrl', url)
  return close
}

const keptStores = new Map<string, Promise<Store>>()

/** Opens a store that gets many tokens once for all of them. Returns a function that closes it. */
export function keepStore(databaseUrl: string): () => Promise<void> {
  const opening = openStore({ url: databaseUrl })
  keptStores.set(databaseUrl, opening)
  return async () => {
    keptStores.delete(databaseUrl)
    await (await opening).close()
  }
}

/** Issues a token in a store. */
export async function issue({ databaseUrl, request }: TokenOrder): Promise<string> {
  const kept = await keptStores.get(databaseUrl)
  if (kept !== undefined) return issueIn(kept, request)
  const store = await openStore({ url: databaseUrl })
  try {
    return await issueIn(store, request)
  } finally {
    await store.close()
  }
}

function issueIn(store: Store, { account, user, email, scopes }: TokenRequest): Promise<string> {
  return issueToken(store, {
    accountCode: account,
    scopes: scopes ?? allScopes.filter(scope => scope !== 'admin'),
    userId: user ?? null,
    email: email ?? null,
    ...{ displayName: null, label: null, expiresAt: null },
  })
}
