import { sql } from 'drizzle-orm'
import type { TimeCall } from '../database.ts'
import { columnsOf, type Dialect } from '../dialect.ts'
import { createTokenSelection, isUserOfToken, type TokenLookUps } from '../entities/tokens.ts'
import type { ChangeMark } from './connection/change-mark.ts'

interface Dependencies {
  readonly changeMark: ChangeMark
  readonly time: TimeCall
}

export function createTokenLookUps(
  { prepare, tables }: Dialect,
  { changeMark, time }: Dependencies,
): TokenLookUps {
  const { apiTokens, users } = tables
  const selection = { ...createTokenSelection(tables), sha256: apiTokens.sha256 }
  const find = prepare(
    sql`
      select ${columnsOf(selection)} from ${apiTokens} join ${users} on ${isUserOfToken(tables)}
      where ${apiTokens.sha256} = ${sql.placeholder('sha256')} and ${apiTokens.revokedAt} is null
      order by ${apiTokens.id}`,
    selection,
  )
  let ownChanges = 0
  return {
    findBySha256: sha256 => time('read', async () => find.run({ sha256 })),
    changeMark: () => changeMark.readOthers() + ownChanges,
    // Changes the mark at once, so that cached callers are read again. SQLite reads nothing between the change and its
    // commit.
    forgetCallers() {
      ownChanges += 1
    },
  }
}
