import { and, eq, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { TeamStore } from '../../domain/store.ts'
import { encodeIds, isListed } from './id-list.ts'
import type { Provision } from './provision.ts'
import { teams } from './tables.ts'
import type { Transactions } from './transactions.ts'

interface Dependencies {
  readonly db: BetterSQLite3Database
  readonly transactions: Transactions
  readonly provision: Provision
}

const columns = { id: teams.id, name: teams.name }

export function createTeamStore({ db, transactions, provision }: Dependencies): TeamStore {
  const accountCode = sql.placeholder('accountCode')
  const findByIds = db
    .select(columns)
    .from(teams)
    .where(and(eq(teams.accountCode, accountCode), isListed(teams.id, sql.placeholder('ids'))))
    .prepare()
  const save = db
    .insert(teams)
    .values({ accountCode, id: sql.placeholder('id'), name: sql.placeholder('name') })
    .onConflictDoUpdate({
      target: [teams.accountCode, teams.id],
      set: { name: sql`case when ${sql.placeholder('setName')} then excluded.name else ${teams.name} end` },
    })
    .returning(columns)
    .prepare()
  return {
    async findByIds(code, ids) {
      return findByIds.all({ accountCode: code, ids: encodeIds(ids) })
    },
    save(code, id, { name }) {
      return transactions.write(() => {
        provision.account(code)
        return save.get({ accountCode: code, id, name: name ?? null, setName: Number(name !== undefined) })
      })
    },
  }
}
