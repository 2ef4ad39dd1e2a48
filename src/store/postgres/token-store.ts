import { and, asc, eq, isNull, or, sql } from 'drizzle-orm'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { TokenStore } from '../../domain/store.ts'
import { decodeScopes, encodeScopes } from '../api-token-row.ts'
import { type FindTokens, tokenColumns } from './find-tokens.ts'
import { onlyRow } from './only-row.ts'
import { apiTokens, users } from './tables.ts'
import type { Transactions } from './transactions.ts'

const columns = { ...tokenColumns, revokedAt: apiTokens.revokedAt }

interface Dependencies {
  readonly db: PgRemoteDatabase
  readonly transactions: Transactions
  readonly findBySha256: FindTokens['findBySha256']
}

export function createTokenStore({ db, transactions, findBySha256 }: Dependencies): TokenStore {
  const statements = prepare(db)
  return {
    // In one transaction, so that a token whose creation fails is not there.
    create(token) {
      return transactions.write(async () => {
        const { id } = onlyRow(
          await statements.insert.execute({ ...token, scopes: encodeScopes(token.scopes) }),
        )
        return decodeScopes(onlyRow(await statements.findById.execute({ id })))
      })
    },
    findBySha256,
    // Any replica may have changed one, and asking costs as much as reading the token.
    changeMark: () => null,
    async list(accountCode) {
      return (await statements.list.execute({ accountCode })).map(decodeScopes)
    },
    async revoke(id, accountCode = null) {
      return (await statements.revoke.execute({ id, accountCode })).length > 0
    },
  }
}

const isOfUser = and(eq(users.accountCode, apiTokens.accountCode), eq(users.id, apiTokens.userId))

function prepare(db: PgRemoteDatabase) {
  const accountCode = sql.placeholder('accountCode')
  const isOfAccount = or(sql`${accountCode}::text is null`, eq(apiTokens.accountCode, accountCode))
  const isTheToken = eq(apiTokens.id, sql.placeholder('id'))
  return {
    insert: db
      .insert(apiTokens)
      .values({
        accountCode,
        userId: sql.placeholder('userId'),
        label: sql.placeholder('label'),
        scopes: sql.placeholder('scopes'),
        sha256: sql.placeholder('sha256'),
      })
      .returning({ id: apiTokens.id })
      .prepare('create_token'),
    findById: db
      .select(columns)
      .from(apiTokens)
      .innerJoin(users, isOfUser)
      .where(isTheToken)
      .prepare('find_token'),
    list: db
      .select(columns)
      .from(apiTokens)
      .innerJoin(users, isOfUser)
      .where(isOfAccount)
      .orderBy(asc(apiTokens.id))
      .prepare('list_tokens'),
    revoke: db
      .update(apiTokens)
      .set({ revokedAt: sql`now()` })
      .where(and(isTheToken, isOfAccount, isNull(apiTokens.revokedAt)))
      .returning({ id: apiTokens.id })
      .prepare('revoke_token'),
  }
}
