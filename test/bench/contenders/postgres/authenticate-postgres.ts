import { hash } from 'node:crypto'
import type { Sql } from 'postgres'
import type { Caller } from '../authenticate.ts'

/** The same over PostgreSQL: a known hash costs no statement, and a revoked token is never heard of. */
export function createPostgresAuthenticate(sql: Sql): (header: string | undefined) => Promise<Caller | null> {
  const known = new Map<string, Caller>()
  return async header => {
    if (header?.startsWith('Bearer ') !== true) return null
    const digest = hash('sha256', header.slice(7))
    const caller = known.get(digest)
    if (caller !== undefined) return caller
    const [row] = await sql<TokenRow[]>`
      select account_code, user_id, scopes from api_tokens
      where sha256 = ${Buffer.from(digest, 'hex')} and revoked_at is null`
    if (row === undefined) return null
    const { account_code: accountCode, user_id: userId } = row
    const found = { accountCode, userId: Number(userId), scopes: new Set(row.scopes.split(' ')) }
    known.set(digest, found)
    return found
  }
}

interface TokenRow {
  readonly account_code: string
  readonly user_id: string
  readonly scopes: string
}
