import { and, asc, eq, isNull, or, sql } from 'drizzle-orm'
import type { ApiToken, TokenStore } from '../../domain/store.ts'
import { decodeScopes, encodeScopes } from '../api-token-row.ts'
import type { ChangeMark } from './change-mark.ts'
import type { SqliteDb } from './connect.ts'
import { type Counters, storeWide } from './counters.ts'
import { prepareChange, prepareRows } from './prepare-statement.ts'
import { apiTokens, users } from './tables.ts'
import type { Transactions } from './transactions.ts'

interface Dependencies {
  readonly db: SqliteDb
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

type RawToken = [
  id: number,
  accountCode: string,
  userId: number,
  email: string | null,
  displayName: string | null,
  label: string | null,
  scopes: string,
  createdAt: number,
  revokedAt: number | null,
]

function readToken(raw: RawToken | [...RawToken, sha256: Buffer]): ApiToken {
  const [id, accountCode, userId, email, displayName, label, scopes, createdAt, revokedAt] = raw
  return decodeScopes({
    id,
    accountCode,
    userId,
    email,
    displayName,
    label,
    scopes,
    createdAt: new Date(createdAt),
    revokedAt: revokedAt === null ? null : new Date(revokedAt),
  })
}

export function createTokenStore({ db, transactions, counters, changeMark }: Dependencies): TokenStore {
  const statements = prepare(db)
  return {
    create(token) {
      return transactions.write(() => {
        const id = counters.next(storeWide, 'API token')
        statements.insert({ ...token, id, scopes: encodeScopes(token.scopes) })
        return statements.findById.only({ id })
      })
    },
    async findBySha256(sha256) {
      return statements.findBySha256.all({ sha256 })
    },
    changeMark: changeMark.read,
    async list(accountCode) {
      return statements.list.all({ accountCode })
    },
    revoke(id, accountCode = null) {
      return transactions.write(() => statements.revoke({ id, accountCode, now: Date.now() }) > 0)
    },
  }
}

function prepare(db: SqliteDb) {
  const accountCode = sql.placeholder('accountCode')
  const isOfUser = and(eq(users.accountCode, apiTokens.accountCode), eq(users.id, apiTokens.userId))
  const isOfAccount = or(sql`${accountCode} is null`, eq(apiTokens.accountCode, accountCode))
  const isTheToken = eq(apiTokens.id, sql.placeholder('id'))
  const select = () => db.select(columns).from(apiTokens).innerJoin(users, isOfUser)
  const bySha256 = db
    .select({ ...columns, sha256: apiTokens.sha256 })
    .from(apiTokens)
    .innerJoin(users, isOfUser)
    .where(and(eq(apiTokens.sha256, sql.placeholder('sha256')), isNull(apiTokens.revokedAt)))
    .orderBy(asc(apiTokens.id))
  const insert = db.insert(apiTokens).values({
    accountCode,
    id: sql.placeholder('id'),
    userId: sql.placeholder('userId'),
    label: sql.placeholder('label'),
    scopes: sql.placeholder('scopes'),
    sha256: sql.placeholder('sha256'),
  })
  const revoke = db
    .update(apiTokens)
    .set({ revokedAt: sql`${sql.placeholder('now')}` })
    .where(and(isTheToken, isOfAccount, isNull(apiTokens.revokedAt)))
  return {
    insert: prepareChange(db, insert),
    findById: prepareRows(db, { query: select().where(isTheToken), read: readToken }),
    findBySha256: prepareRows(db, {
      query: bySha256,
      read: (raw: [...RawToken, sha256: Buffer]) => ({ ...readToken(raw), sha256: raw[9] }),
    }),
    list: prepareRows(db, { query: select().where(isOfAccount).orderBy(asc(apiTokens.id)), read: readToken }),
    revoke: prepareChange(db, revoke),
  }
}
