import { type SQL, sql } from 'drizzle-orm'
import type { ApiToken, NewApiToken, TokenStore } from '../../domain/directory/token-store.ts'
import { insertInto, select } from '../columns.ts'
import type { Database } from '../database.ts'
import { columnsOf, placeholders } from '../dialect.ts'
import { all, first, only, type Work } from '../work.ts'
import { type AddUser, findAnyAccount, insertAccount } from './provision.ts'

/** The calls of every request; each database has its own way to answer them fast. */
export interface TokenLookUps extends Pick<TokenStore, 'findBySha256' | 'changeMark'> {
  /** Clears the cached callers. Call it inside the transaction that changes a token or user. */
  forgetCallers(): void
}

export function createTokenStore(database: Database, lookUps: TokenLookUps, addUser: AddUser): TokenStore {
  const { nextTokenId, prepare, typed, now, isListed, encodeList, tables, read, write } = database
  const { apiTokens, users } = tables
  const { forgetCallers, ...reads } = lookUps
  const { id, accountCode, ids, day } = placeholders('id', 'accountCode', 'ids', 'day')
  const selection = createTokenSelection(tables)
  const isOfAccount = sql`(${typed(accountCode, 'text')} is null or ${apiTokens.accountCode} = ${accountCode})`
  const selected = sql`
    select ${columnsOf(selection)} from ${apiTokens} join ${users} on ${isUserOfToken(tables)}`
  const insert = prepare(insertInto(apiTokens, { omit: ['createdAt', 'revokedAt', 'lastUsedOn'] }))
  const findById = prepare(sql`${selected} where ${apiTokens.id} = ${id}`, selection)
  const list = prepare(sql`${selected} where ${isOfAccount} order by ${apiTokens.id}`, selection)
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
  const code = { accountCode: tables.accounts.accountCode }
  const findAccount = prepare(findAnyAccount, code)
  const newAccount = prepare(sql`${insertAccount(database)} returning account_code`, code)

  function* create(token: NewApiToken): Work<ApiToken> {
    forgetCallers()
    const { id } = yield* only(nextTokenId, {})
    const { expiresAt = null } = token
    yield* all(insert, { ...token, id, expiresAt })
    return yield* only(findById, { id })
  }

  return {
    ...reads,
    create: token => write(token.accountCode, () => create(token)),
    createFirst: (token, displayName) =>
      write(
        token.accountCode,
        function* () {
          if ((yield* first(findAccount, {})) !== undefined) return null
          // Another gateway may have created the account since.
          if ((yield* first(newAccount, token)) === undefined) return null
          const user = yield* addUser(token.accountCode, { email: null, displayName })
          return yield* create({ ...token, userId: user.id })
        },
        { hasChanged: created => created !== null },
      ),
    list: accountCode => read(list, { accountCode }),
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
  return { ...select(apiTokens, { omit: ['sha256'] }), ...select(users, { only: ['email', 'displayName'] }) }
}

export function isUserOfToken({ apiTokens, users }: Database['tables']): SQL {
  return sql`${users.accountCode} = ${apiTokens.accountCode} and ${users.id} = ${apiTokens.userId}`
}
