import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Dialect } from '../dialect.ts'
import { createTokenSelection, decodeScopes, isUserOfToken, type TokenLookUps } from '../entities/tokens.ts'
import { numberOf } from '../tables/tables-of.ts'
import { aggregate, createReadRows, prepareColumns } from './column-rows.ts'
import { askTogether } from './connection/ask-together.ts'
import type { Bound } from './connection/bound.ts'
import type { Client } from './connection/client.ts'
import { shares } from './connection/shares.ts'

// About 2 MB.
const maxKnownTokens = 10_000

interface Dependencies extends Pick<Dialect, 'tables'> {
  readonly bound: Bound
  /** For tokens that were found before, and for those that were not. */
  readonly clients: { readonly known: Client; readonly unknown: Client }
}

/**
 * Finds tokens by their hash, for all requests of a turn of the event loop at once. Every request asks, so that a
 * token that is revoked through any gateway is refused from then on. Tokens that were never found have statements of
 * their own, so that made-up tokens delay nobody else.
 */
export function createTokenLookUps({ tables, bound, clients }: Dependencies): TokenLookUps {
  // The account of a token when it was last found. It only decides whose turn it is, not what the token is good for.
  const owners = new LRUCache<string, string>({ max: maxKnownTokens })
  const { apiTokens, users } = tables
  const hex = numberOf(sql`encode(${apiTokens.sha256}, 'hex')`)
  const selection = { ...createTokenSelection(tables), hex }
  const find = prepareColumns(sql`
    select ${aggregate(Object.values(selection))} from ${apiTokens} join ${users} on ${isUserOfToken(tables)}
    where ${apiTokens.sha256} = any(${sql.placeholder('hashes')}::bytea[]) and ${apiTokens.revokedAt} is null`)
  const readRows = createReadRows(selection)

  async function findAll(client: Client, hashes: readonly string[]) {
    const encoded = [...new Set(hashes)].map(hash => `"\\\\x${hash}"`)
    const rows = readRows(await find(client, { hashes: `{${encoded}}` })).toSorted((a, b) => a.id - b.id)
    const byHash = Map.groupBy(rows, ({ hex }) => String(hex))
    return hashes.map(hash => {
      const found = byHash.get(hash) ?? []
      if (found[0] === undefined) owners.delete(hash)
      else owners.set(hash, found[0].accountCode)
      return found.map(({ hex: _, ...token }) => ({
        ...decodeScopes(token),
        sha256: Buffer.from(hash, 'hex'),
      }))
    })
  }

  const findKnown = askTogether((hashes: readonly string[]) => findAll(clients.known, hashes))
  const findUnknown = askTogether((hashes: readonly string[]) => findAll(clients.unknown, hashes))
  return {
    findBySha256(sha256) {
      const hash = sha256.toString('hex')
      const owner = owners.get(hash)
      return owner === undefined
        ? bound(shares.unknownTokens, () => findUnknown(hash))
        : bound(owner, () => findKnown(hash))
    },
    // Any replica may have changed a token, and asking costs as much as reading it.
    changeMark: () => null,
    forgetCallers: () => {},
  }
}
