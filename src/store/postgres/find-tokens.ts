import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { columnsOf } from '../dialect.ts'
import { createTokenSelection, isUserOfToken, type TokenLookUps } from '../entities/tokens.ts'
import { numberOf } from '../tables/tables-of.ts'
import { askTogether } from './ask-together.ts'
import type { Calls } from './connection/calls.ts'
import type { Client } from './connection/client.ts'
import { shares } from './connection/shares.ts'
import { prepareMany } from './prepare.ts'
import { tables } from './tables.ts'

// Maximum number of tokens whose account is remembered. They take about 2 MB.
const maxKnownTokens = 10_000

/**
 * Finds tokens by their hash, with one statement for all requests of a turn of the event loop. Every request asks the
 * database, so that a token that is revoked through any gateway is refused at once. Tokens that this gateway has never
 * found have statements of their own, so that made-up tokens delay nobody else.
 */
export function createTokenLookUps({ pool, read }: Calls): TokenLookUps {
  // The account of each token when it was last found. It only decides whose turn a look-up takes, and never the rights.
  const owners = new LRUCache<string, string>({ max: maxKnownTokens })
  const { apiTokens, users } = tables
  const hex = numberOf(sql`encode(${apiTokens.sha256}, 'hex')`)
  const selection = { ...createTokenSelection(tables), hex }
  const find = prepareMany(
    sql`
      select ${columnsOf(selection)} from ${apiTokens} join ${users} on ${isUserOfToken(tables)}
      where ${apiTokens.sha256} = any(${sql.placeholder('hashes')}::bytea[]) and ${apiTokens.revokedAt} is null
      order by ${apiTokens.id}`,
    selection,
  )

  async function findAll(client: Client, hashes: readonly string[]) {
    const encoded = [...new Set(hashes)].map(hash => `"\\\\x${hash}"`)
    const rows = await find.run({ hashes: `{${encoded}}` }, client)
    const byHash = Map.groupBy(rows, ({ hex }) => String(hex))
    return hashes.map(hash => {
      const found = byHash.get(hash) ?? []
      if (found[0] === undefined) owners.delete(hash)
      else owners.set(hash, found[0].accountCode)
      return found.map(({ hex: _, ...token }) => ({ ...token, sha256: Buffer.from(hash, 'hex') }))
    })
  }

  const findKnown = askTogether((hashes: readonly string[]) => findAll(pool.of(shares.shared), hashes))
  const findUnknown = askTogether((hashes: readonly string[]) =>
    findAll(pool.of(shares.unknownTokens), hashes),
  )
  return {
    findBySha256(sha256) {
      const hash = sha256.toString('hex')
      const owner = owners.get(hash)
      return owner === undefined
        ? read(shares.unknownTokens, () => findUnknown(hash))
        : read(owner, () => findKnown(hash))
    },
    // Null, because any gateway may have changed a token, and asking for changes costs as much as reading the token.
    changeMark: () => null,
    forgetCallers: () => {},
  }
}
