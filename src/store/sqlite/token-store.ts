import { and, asc, eq, isNull, or, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { TokenStore } from '../../domain/store.ts'
import { decodeScopes, encodeScopes } from '../api-token-row.ts'
import type { ChangeMark } from './change-mark.ts'
import type { Counters } from './counters.ts'
import { apiTokens, users } from './tables.ts'
import type { Transactions } from './transactions.ts'

interface Dependencies {
  readonly db: BetterSQLite3Database
  readonly transactions: Transactions
  readonly counters: Counters
  readonly changeMark: ChangeMark
}

const columns = {
  id: apiTokens.id,
  accountCode: apiTokens.accountCode,
  userId: apiTokens.userId,
  email: users.email,
  displayName: users.displayName,
  label: apiTokens.label,
  scopes: apiTokens.scopes,
  createdAt: apiTokens.createdAt,
  revokedAt: apiTokens.revokedAt,
}

export function createTokenStore({ db, transactions, counters, changeMark }: Dependencies): TokenStore {
  const statements = prepare(db)
  return {
    create(token) {
      return transactions.write(() => {
        const id = counters.next('API token')
        statements.insert.run({ ...token, id, scopes: encodeScopes(token.scopes) })
        const row = statements.findById.get({ id })
        if (row === undefined) throw new Error('A token just written is not there.')
        return decodeScopes(row)
      })
    },
    async findBySha256(sha256) {
      return statements.findBySha256.all({ sha256 }).map(decodeScopes)
    },
    changeMark: changeMark.read,
    async list(accountCode) {
      return statements.list.all({ accountCode }).map(decodeScopes)
    },
    revoke(id, accountCode = null) {
      return transactions.write(() => statements.revoke.run({ id, accountCode, now: Date.now() }).changes > 0)
    },
  }
}

function prepare(db: BetterSQLite3Database) {
  const accountCode = sql.placeholder('accountCode')
  const isOfUser = and(eq(users.accountCode, apiTokens.accountCode), eq(users.id, apiTokens.userId))
  const isOfAccount = or(sql`${accountCode} is null`, eq(apiTokens.accountCode, accountCode))
  const isTheToken = eq(apiTokens.id, sql.placeholder('id'))
  return {
    insert: db
      .insert(apiTokens)
      .values({
        accountCode,
        id: sql.placeholder('id'),
        userId: sql.placeholder('userId'),
        label: sql.placeholder('label'),
        scopes: sql.placeholder('scopes'),
        sha256: sql.placeholder('sha256'),
      })
      .prepare(),
    findById: db.select(columns).from(apiTokens).innerJoin(users, isOfUser).where(isTheToken).prepare(),
    findBySha256: db
      .select({ ...columns, sha256: apiTokens.sha256 })
      .from(apiTokens)
      .innerJoin(users, isOfUser)
      .where(and(eq(apiTokens.sha256, sql.placeholder('sha256')), isNull(apiTokens.revokedAt)))
      .orderBy(asc(apiTokens.id))
      .prepare(),
    list: db
      .select(columns)
      .from(apiTokens)
      .innerJoin(users, isOfUser)
      .where(isOfAccount)
      .orderBy(asc(apiTokens.id))
      .prepare(),
    revoke: db
      .update(apiTokens)
      .set({ revokedAt: sql`${sql.placeholder('now')}` })
      .where(and(isTheToken, isOfAccount, isNull(apiTokens.revokedAt)))
      .prepare(),
  }
}
