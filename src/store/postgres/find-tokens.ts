import { and, eq, isNull, sql } from 'drizzle-orm'
import type { ApiToken, TokenStore } from '../../domain/store.ts'
import { decodeScopes } from '../api-token-row.ts'
import { askTogether } from './ask-together.ts'
import type { Reading } from './find-by-ids.ts'
import { type Columns, prepareColumns, valueAt } from './prepare-columns.ts'
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

/**
 * The tokens with a hash, read for all requests of a turn of the event loop at once. Every request asks, so that a token that is revoked
 * through any gateway is refused from then on.
 */
export function createFindBySha256({ db, pool }: Reading): TokenStore['findBySha256'] {
  const find = prepareColumns<Row>(pool, {
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

  async function findAll(hashes: readonly string[]): Promise<Token[][]> {
    const encoded = [...new Set(hashes)].map(hex => `"\\\\x${hex}"`)
    const found = await find({ hashes: `{${encoded}}` })
    const tokens = found === null ? [] : found.id.map((_, index) => readToken(found, index))
    const byHash = Map.groupBy(
      tokens.sort((a, b) => a.id - b.id),
      ({ sha256 }) => sha256.toString('hex'),
    )
    return hashes.map(hex => byHash.get(hex) ?? [])
  }

  const findTogether = askTogether(findAll)
  return sha256 => findTogether(sha256.toString('hex'))
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
