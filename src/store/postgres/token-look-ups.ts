import { and, isNull, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Dialect } from '../dialect.ts'
import { createTokenSelection, decodeScopes, isUserOfToken, type TokenLookUps } from '../entities/tokens.ts'
import { numberOf } from '../tables/tables-of.ts'
import { aggregate, createReadRow, prepareColumns } from './column-rows.ts'
import { askTogether } from './connection/ask-together.ts'
import type { Client } from './connection/client.ts'
import { shares } from './connection/shares.ts'

// About 2 MB.
const maxKnownTokens = 10_000

interface Dependencies extends Pick<Dialect, 'build' | 'tables'> {
  /** For tokens that were found before, and for those that were not. */
  readonly clients: { readonly known: Client; readonly unknown: Client }
}

interface PostgresTokenLookUps extends TokenLookUps {
  /** The account of a token when it was last found. It only decides whose turn it is, not what the token is good for. */
  readonly ownerOf: (sha256: Buffer) => string
}

/**
 * Finds tokens by their hash, for all requests of a turn of the event loop at once. Every request asks, so that a token that is
 * revoked through any gateway is refused from then on. Tokens that were never found have statements of their own, so that made-up
 * tokens keep nobody waiting.
 */
export function createTokenLookUps({ build, tables, clients }: Dependencies): PostgresTokenLookUps {
  const owners = new LRUCache<string, string>({ max: maxKnownTokens })
  const { apiTokens, users } = tables
  const hex = numberOf(sql`encode(${apiTokens.sha256}, 'hex')`)
  const selection = { ...createTokenSelection(tables), hex }
  const query = build
    .select(aggregate(selection))
    .from(apiTokens)
    .innerJoin(users, isUserOfToken(tables))
    .where(
      and(sql`${apiTokens.sha256} = any(${sql.placeholder('hashes')}::bytea[])`, isNull(apiTokens.revokedAt)),
    )
  const find = prepareColumns(query)
  const readRow = createReadRow(selection)

  async function findAll(client: Client, hashes: readonly string[]) {
    const encoded = [...new Set(hashes)].map(hash => `"\\\\x${hash}"`)
    const columns = await find(client, { hashes: `{${encoded}}` })
    const tokens = (columns[0] ?? []).map((_, index) => {
      const { hex, ...token } = readRow(columns, index)
      return { ...decodeScopes(token), sha256: Buffer.from(String(hex), 'hex') }
    })
    const byHash = Map.groupBy(
      tokens.sort((a, b) => a.id - b.id),
      ({ sha256 }) => sha256.toString('hex'),
    )
    for (const hash of hashes) {
      const [token] = byHash.get(hash) ?? []
      if (token === undefined) owners.delete(hash)
      else owners.set(hash, token.accountCode)
    }
    return hashes.map(hash => byHash.get(hash) ?? [])
  }

  const findKnown = askTogether((hashes: readonly string[]) => findAll(clients.known, hashes))
  const findUnknown = askTogether((hashes: readonly string[]) => findAll(clients.unknown, hashes))
  return {
    findBySha256(sha256) {
      const hash = sha256.toString('hex')
      return owners.has(hash) ? findKnown(hash) : findUnknown(hash)
    },
    // Any replica may have changed a token, and asking costs as much as reading it.
    changeMark: () => null,
    ownerOf: sha256 => owners.get(sha256.toString('hex')) ?? shares.unknownTokens,
  }
}
