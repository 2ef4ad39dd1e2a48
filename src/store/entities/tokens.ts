import { type SQL, sql } from 'drizzle-orm'
import type { ApiToken, TokenStore } from '../../domain/directory/token-store.ts'
import type { Database } from '../database.ts'
import { columnsOf, insertValues, placeholders } from '../dialect.ts'
import { all, first, only } from '../work.ts'

/** The calls of every request; each database has its own way to answer them fast. */
export interface TokenLookUps extends Pick<TokenStore, 'findBySha256' | 'changeMark'> {
  /** Clears the cached callers. Call it inside the transaction that changes a token or user. */
  forgetCallers(): void
}

export function createTokenStore(database: Database, lookUps: TokenLookUps): TokenStore {
  const { nextTokenId, prepare, typed, now, isListed, encodeList, tables, read, write } = database
  const { apiTokens, users } = tables
  const { forgetCallers, ...reads } = lookUps
  const { id, accountCode, ids, day } = placeholders('id', 'accountCode', 'ids', 'day')
  const selection = createTokenSelection(tables)
  const isOfAccount = sql`(${typed(accountCode, 'text')} is null or ${apiTokens.accountCode} = ${accountCode})`
  const select = sql`
    select ${columnsOf(selection)} from ${apiTokens} join ${users} on ${isUserOfToken(tables)}`
  const values = insertValues('id', 'accountCode', 'userId', 'label', 'scopes', 'sha256', 'expiresAt')
  const insert = prepare(sql`insert into api_tokens ${values}`)
  const findById = prepare(sql`${select} where ${apiTokens.id} = ${id}`, selection)
  const list = prepare(sql`${select} where ${isOfAccount} order by ${apiTokens.id}`, selection)
  const revoke = prepare(
    sql`
      update api_tokens set revoked_at = ${now} where ${apiTokens.id} = ${id} and ${isOfAccount}
        and revoked_at is null returning id`,
    { id: apiTokens.id },
  )
  // Writes only later days: several gateways may note the same use, and the first one writes it.
  const noteUses = prepare(
    sql`
      update api_tokens set last_used_on = ${day} where ${isListed(apiTokens.id, ids)}
        and (last_used_on is null or last_used_on < ${day}) returning id`,
    { id: apiTokens.id },
  )
  return {
    ...reads,
    create: token =>
      write(token.accountCode, function* () {
        forgetCallers()
        const { id } = yield* only(nextTokenId, {})
        const { expiresAt = null, scopes } = token
        yield* all(insert, { ...token, id, expiresAt, scopes: encodeScopes(scopes) })
        return decodeScopes(yield* only(findById, { id }))
      }),
    list: async accountCode => (await read(list, { accountCode })).map(decodeScopes),
    // An operator names a token without its account.
    revoke: (id, accountCode = null) =>
      write(accountCode, function* () {
        forgetCallers()
        return (yield* first(revoke, { id, accountCode })) !== undefined
      }),
    // Cached callers stay, because the day changes nothing about them.
    async noteUses(day, ids) {
      const hasChanged = (rows: readonly unknown[]) => rows.length > 0
      await write(null, () => all(noteUses, { day, ids: encodeList(ids) }), { hasChanged })
    },
  }
}

/** The columns of a token and of the user it belongs to. */
export function createTokenSelection({ apiTokens, users }: Database['tables']) {
  const { id, accountCode, userId, label, scopes, createdAt, revokedAt, expiresAt, lastUsedOn } = apiTokens
  const { email, displayName } = users
  const times = { createdAt, revokedAt, expiresAt, lastUsedOn }
  return { id, accountCode, userId, email, displayName, label, scopes, ...times }
}

export function isUserOfToken({ apiTokens, users }: Database['tables']): SQL {
  return sql`${users.accountCode} = ${apiTokens.accountCode} and ${users.id} = ${apiTokens.userId}`
}

/** Scopes are stored as one text, separated by spaces, as in OAuth. */
function encodeScopes(scopes: readonly string[]): string {
  return scopes.join(' ')
}

export function decodeScopes<Row extends Omit<ApiToken, 'scopes'> & { readonly scopes: string }>(row: Row) {
  return { ...row, scopes: row.scopes === '' ? [] : row.scopes.split(' ') }
}
