import { and, eq, isNull, sql } from 'drizzle-orm'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import { LRUCache } from 'lru-cache'
import type { ApiToken, TokenStore } from '../../domain/store.ts'
import { decodeScopes } from '../api-token-row.ts'
import { askTogether } from './ask-together.ts'
import type { Client } from './client.ts'
import { type Columns, prepareColumns, valueAt } from './prepare-columns.ts'
import { shares } from './shares.ts'
import { apiTokens, users } from './tables.ts'

type Token = ApiToken & { readonly sha256: Buffer }

// As JSON has them.
type Row = Omit<Token, 'scopes' | 'createdAt' | 'revokedAt' | 'sha256'> & {
  readonly scopes: string
  readonly createdAt: string
  readonly hex: string
}

/** What is told of a token, but whether it is revoked. */
export const tokenColumns = {
  id: apiTokens.id,
  accountCode: apiTokens.accountCode,
  userId: apiTokens.userId,
  email: users.email,
  displayName: users.displayName,
  label: apiTokens.label,
  scopes: apiTokens.scopes,
  createdAt: apiTokens.createdAt,
}

// Some 2 MB.
const maxKnown = 10_000

interface Dependencies {
  readonly db: PgRemoteDatabase
  /** For tokens that were found before, and for those that were not. */
  readonly clients: { readonly known: Client; readonly unknown: Client }
}

export interface FindTokens {
  /**
   * The tokens with a hash, read for all requests of a turn of the event loop at once. Every request asks, so that a token that is revoked
   * through any gateway is refused from then on. Those that were never found have statements of their own: whoever makes up tokens keeps
   * nobody's waiting.
   */
  readonly findBySha256: TokenStore['findBySha256']
  /** Whose token it was when it was last found, for turns alone: it says nothing of what the token is good for. */
  readonly ownerOf: (sha256: Buffer) => string
}

export function createFindTokens({ db, clients }: Dependencies): FindTokens {
  const owners = new LRUCache<string, string>({ max: maxKnown })
  const find = prepareColumns<Row>({
    columns: {
      ...tokenColumns,
      hex: sql`encode(${apiTokens.sha256}, 'hex')`,
    },
    select: fields =>
      db
        .select(fields)
        .from(apiTokens)
        .innerJoin(users, and(eq(users.accountCode, apiTokens.accountCode), eq(users.id, apiTokens.userId)))
        .where(
          and(
            sql`${apiTokens.sha256} = any(${sql.placeholder('hashes')}::bytea[])`,
            isNull(apiTokens.revokedAt),
          ),
        ),
  })

  async function findAll(client: Client, hashes: readonly string[]): Promise<Token[][]> {
    const encoded = [...new Set(hashes)].map(hex => `"\\\\x${hex}"`)
    const found = await find(client, { hashes: `{${encoded}}` })
    const tokens = found === null ? [] : found.id.map((_, index) => readToken(found, index))
    const byHash = Map.groupBy(
      tokens.sort((a, b) => a.id - b.id),
      ({ sha256 }) => sha256.toString('hex'),
    )
    for (const hex of hashes) remember(hex, byHash.get(hex)?.[0])
    return hashes.map(hex => byHash.get(hex) ?? [])
  }

  function remember(hex: string, token: Token | undefined): void {
    if (token === undefined) owners.delete(hex)
    else owners.set(hex, token.accountCode)
  }

  const findKnown = askTogether((hashes: readonly string[]) => findAll(clients.known, hashes))
  const findUnknown = askTogether((hashes: readonly string[]) => findAll(clients.unknown, hashes))
  return {
    findBySha256(sha256) {
      const hex = sha256.toString('hex')
      return owners.has(hex) ? findKnown(hex) : findUnknown(hex)
    },
    ownerOf: sha256 => owners.get(sha256.toString('hex')) ?? shares.unknownTokens,
  }
}

function readToken(found: Columns<Row>, index: number): Token {
  return decodeScopes({
    id: valueAt(found.id, index),
    accountCode: valueAt(found.accountCode, index),
    userId: valueAt(found.userId, index),
    email: valueAt(found.email, index),
    displayName: valueAt(found.displayName, index),
    label: valueAt(found.label, index),
    scopes: valueAt(found.scopes, index),
    createdAt: new Date(valueAt(found.createdAt, index)),
    revokedAt: null,
    sha256: Buffer.from(valueAt(found.hex, index), 'hex'),
  })
}
