import { and, asc, eq, isNull, or, sql } from 'drizzle-orm'
import type { ApiToken, TokenStore } from '../../domain/store.ts'
import type { Database } from '../database.ts'
import { first, only } from '../work.ts'

/** The two calls that each database answers in its own way: every request makes them. */
export type TokenLookUps = Pick<TokenStore, 'findBySha256' | 'changeMark'>

export function createTokenStore(database: Database, lookUps: TokenLookUps): TokenStore {
  const { nextTokenId, read, write } = database
  const { insert, findById, list, revoke } = prepareStatements(database)
  return {
    ...lookUps,
    create: token =>
      write(token.accountCode, function* () {
        const { id } = yield* only(nextTokenId, {})
        yield* first(insert, { ...token, id, scopes: encodeScopes(token.scopes) })
        return decodeScopes(yield* only(findById, { id }))
      }),
    list: async accountCode => (await read(list, { accountCode })).map(decodeScopes),
    // An operator names a token without its account.
    revoke: (id, accountCode = null) =>
      write(accountCode ?? '', function* () {
        return (yield* first(revoke, { id, accountCode })) !== undefined
      }),
  }
}

/** The columns of a token and of the user it belongs to. */
export function createTokenSelection({ apiTokens, users }: Database['tables']) {
  return {
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
}

export function isUserOfToken({ apiTokens, users }: Database['tables']) {
  return and(eq(users.accountCode, apiTokens.accountCode), eq(users.id, apiTokens.userId))
}

/** Scopes are stored as one text, separated by spaces, as in OAuth. */
function encodeScopes(scopes: readonly string[]): string {
  return scopes.join(' ')
}

export function decodeScopes<Row extends Omit<ApiToken, 'scopes'> & { readonly scopes: string }>(row: Row) {
  return { ...row, scopes: row.scopes === '' ? [] : row.scopes.split(' ') }
}

function prepareStatements({ build, prepare, typed, now, tables }: Database) {
  const { apiTokens, users } = tables
  const accountCode = sql.placeholder('accountCode')
  const selection = createTokenSelection(tables)
  const isOfAccount = or(sql`${typed(accountCode, 'text')} is null`, eq(apiTokens.accountCode, accountCode))
  const isTheToken = eq(apiTokens.id, sql.placeholder('id'))
  const select = () => build.select(selection).from(apiTokens).innerJoin(users, isUserOfToken(tables))
  const insert = build.insert(apiTokens).values({
    accountCode,
    id: sql.placeholder('id'),
    userId: sql.placeholder('userId'),
    label: sql.placeholder('label'),
    scopes: sql.placeholder('scopes'),
    sha256: sql.placeholder('sha256'),
  })
  const id = { id: apiTokens.id }
  const revoke = build
    .update(apiTokens)
    .set({ revokedAt: now })
    .where(and(isTheToken, isOfAccount, isNull(apiTokens.revokedAt)))
    .returning(id)
  return {
    insert: prepare(insert),
    findById: prepare(select().where(isTheToken), selection),
    list: prepare(select().where(isOfAccount).orderBy(asc(apiTokens.id)), selection),
    revoke: prepare(revoke, id),
  }
}
