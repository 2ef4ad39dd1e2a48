import { isName } from '../../domain/name.ts'
import { CliError, exitCodes } from '../frame/cli-error.ts'
import { type GatewayClient, notRostrum, unreachable } from '../gateway/gateway-client.ts'
import { requireLike } from '../gateway/require-like.ts'
import { hashSource, splitKey, toKey } from './function-files.ts'

/** The account of a token, and the hash of each of its functions' live versions by its key. */
export interface LiveFunctions {
  readonly account: string
  readonly hashes: ReadonlyMap<string, string>
}

/** Both are null from another server alone. */
interface Page {
  readonly viewer: { readonly accountCode: string } | null
  readonly functions: {
    readonly nodes: readonly {
      readonly name: string
      readonly caseTypeCode: string | null
      readonly live: { readonly hash: string }
    }[]
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  } | null
}

const likeFunctions = { nodes: [{ name: '', live: { hash: '' } }], pageInfo: { hasNextPage: false } }

const query = `query ($after: String) {
  viewer { accountCode }
  functions(first: 500, after: $after) {
    nodes { name caseTypeCode live { hash } }
    pageInfo { hasNextPage endCursor }
  }
}`

/** Lists the functions of the account. */
export async function findLiveFunctions({ url, ask }: GatewayClient): Promise<LiveFunctions> {
  const hashes = new Map<string, string>()
  for (let after: string | null = null; ; ) {
    const page: Page = await ask<Page>(query, { after })
    const { accountCode } = requireLike(url, page.viewer, { accountCode: '' })
    const functions = requireLike(url, page.functions, likeFunctions)
    for (const { live, ...named } of functions.nodes) {
      // A key becomes a path, which must not leave the folder, whatever answers there.
      if (!isName(named.name) || !isName(named.caseTypeCode ?? named.name)) throw notRostrum(url)
      hashes.set(toKey(named), live.hash)
    }
    after = functions.pageInfo.endCursor
    if (!functions.pageInfo.hasNextPage || after === null) return { account: accountCode, hashes }
  }
}

// Requests that are sent at once.
const maxAtOnce = 8

/** Reads the live sources of functions by their keys. `hashes` are those of the list, by key. */
export async function readLiveSources(
  { url, get }: GatewayClient,
  hashes: ReadonlyMap<string, string>,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const sources = new Map<string, string>()
  const rest = [...keys]
  async function work(): Promise<void> {
    for (let key = rest.shift(); key !== undefined; key = rest.shift()) {
      const answer = await get(pathOfFunction(key), 'text/javascript')
      // A proxy may answer with a page of its own, which must not become the source of a function.
      if (answer.headers.get('content-type')?.startsWith('text/javascript') !== true) throw notRostrum(url)
      const bytes = await answer.arrayBuffer().catch((error: unknown) => {
        throw unreachable(url, error)
      })
      const known = [hashes.get(key), /[0-9a-f]{64}/.exec(answer.headers.get('etag') ?? '')?.[0]]
      if (!known.includes(hashSource(new Uint8Array(bytes)))) throw notWhole(url, key)
      // A mark at the beginning is part of the source.
      sources.set(key, new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
    }
  }
  await Promise.all(Array.from({ length: maxAtOnce }, work)).finally(() => {
    // Ends the other reads after a failure. `push --watch` goes on, so they would read all sources for nothing.
    rest.length = 0
  })
  return sources
}

// A function may have got a new version since the list, which its ETag names. A proxy may have lost a part of it.
function notWhole(url: string, key: string): CliError {
  return new CliError(
    exitCodes.unavailable,
    `The source of ${key} did not arrive from ${url} as it is live. Try again; look at the proxy if there is one.`,
  )
}

/** The REST path of a function. */
function pathOfFunction(key: string): string {
  const { name, caseTypeCode } = splitKey(key)
  const query = caseTypeCode === null ? '' : `?case_type_code=${encodeURIComponent(caseTypeCode)}`
  return `/platform/functions/${encodeURIComponent(name)}${query}`
}
