import { sql } from 'drizzle-orm'
import type { Team, TeamStore } from '../../domain/store.ts'
import { createFindByIds, type Reading } from './find-by-ids.ts'
import { onlyRow } from './only-row.ts'
import { valueAt } from './prepare-columns.ts'
import { withAccount } from './provision-account.ts'
import { teams } from './tables.ts'
import type { Transactions } from './transactions.ts'

interface Dependencies extends Reading {
  readonly transactions: Transactions
}

const columns = { id: teams.id, name: teams.name }

export function createTeamStore({ transactions, ...reading }: Dependencies): TeamStore {
  const { db } = reading
  const accountCode = sql.placeholder('accountCode')
  const setName = sql`${sql.placeholder('setName')}::boolean`
  const save = db
    .with(withAccount(db))
    .insert(teams)
    .values({ accountCode, id: sql.placeholder('id'), name: sql.placeholder('name') })
    .onConflictDoUpdate({
      target: [teams.accountCode, teams.id],
      set: { name: sql`case when ${setName} then excluded.name else ${teams.name} end` },
    })
    .returning(columns)
    .prepare('save_team')
  return {
    findByIds: createFindByIds<Team>({
      ...reading,
      table: teams,
      columns,
      read: (found, index) => ({ id: valueAt(found.id, index), name: valueAt(found.name, index) }),
    }),
    save(code, id, { name }) {
      const row = { accountCode: code, id, name: name ?? null, setName: name !== undefined }
      return transactions.retry(async () => onlyRow(await save.execute(row)))
    },
  }
}
