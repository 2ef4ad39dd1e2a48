import { and, eq, sql } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { TeamStore } from '../../domain/store.ts'
import { encodeIds, isListed } from './id-list.ts'
import { onlyRow } from './only-row.ts'
import type { Provision } from './provision.ts'
import { teams } from './tables.ts'
import type { Transactions } from './transactions.ts'

interface Dependencies {
  readonly db: PostgresJsDatabase
  readonly transactions: Transactions
  readonly provision: Provision
}

const columns = { id: teams.id, name: teams.name }

export function createTeamStore({ db, transactions, provision }: Dependencies): TeamStore {
  const accountCode = sql.placeholder('accountCode')
  const setName = sql`${sql.placeholder('setName')}::boolean`
  const findByIds = db
    .select(columns)
    .from(teams)
    .where(and(eq(teams.accountCode, accountCode), isListed(teams.id, sql.placeholder('ids'))))
    .prepare('find_teams')
  const save = db
    .insert(teams)
    .values({ accountCode, id: sql.placeholder('id'), name: sql.placeholder('name') })
    .onConflictDoUpdate({
      target: [teams.accountCode, teams.id],
      set: { name: sql`case when ${setName} then excluded.name else ${teams.name} end` },
    })
    .returning(columns)
    .prepare('save_team')
  return {
    findByIds: (code, ids) => findByIds.execute({ accountCode: code, ids: encodeIds(ids) }),
    save(code, id, { name }) {
      const row = { accountCode: code, id, name: name ?? null, setName: name !== undefined }
      return transactions.write(async () => {
        const [, rows] = await Promise.all([provision.account(code), save.execute(row)])
        return onlyRow(rows)
      })
    },
  }
}
