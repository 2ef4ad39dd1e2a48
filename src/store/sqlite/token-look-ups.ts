import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Dialect } from '../dialect.ts'
import { createTokenSelection, decodeScopes, isUserOfToken, type TokenLookUps } from '../entities/tokens.ts'
import type { ChangeMark } from './connection/change-mark.ts'

export function createTokenLookUps(
  { build, prepare, tables }: Dialect,
  changeMark: ChangeMark,
): TokenLookUps {
  const { apiTokens, users } = tables
  const selection = { ...createTokenSelection(tables), sha256: apiTokens.sha256 }
  const query = build
    .select(selection)
    .from(apiTokens)
    .innerJoin(users, isUserOfToken(tables))
    .where(and(eq(apiTokens.sha256, sql.placeholder('sha256')), isNull(apiTokens.revokedAt)))
    .orderBy(asc(apiTokens.id))
  const find = prepare(query, selection)
  return {
    findBySha256: async sha256 => (await find.run({ sha256 })).map(decodeScopes),
    changeMark: changeMark.read,
  }
}
