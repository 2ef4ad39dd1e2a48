import { sql } from 'drizzle-orm'
import type { Team, TeamStore } from '../../domain/store.ts'
import type { ChangeMark } from './change-mark.ts'
import type { SqliteDb } from './connect.ts'
import { prepareFindByIds } from './find-by-ids.ts'
import { createKeptRows } from './kept-rows.ts'
import { prepareRows } from './prepare-statement.ts'
import type { Provision } from './provision.ts'
import { teams } from './tables.ts'
import type { Transactions } from './transactions.ts'

interface Dependencies {
  readonly db: SqliteDb
  readonly transactions: Transactions
  readonly provision: Provision
  readonly changeMark: ChangeMark
}

// Names are at most 200 characters: 5 MB.
const mostKept = 10_000

const columns = { id: teams.id, name: teams.name }
const read = ([id, name]: [number, string | null]): Team => ({ id, name })

export function createTeamStore({ db, transactions, provision, changeMark }: Dependencies): TeamStore {
  const keptRows = createKeptRows<Team>(changeMark, mostKept)
  const accountCode = sql.placeholder('accountCode')
  const findByIds = prepareFindByIds(db, { table: teams, columns, read, keptRows })
  const query = db
    .insert(teams)
    .values({ accountCode, id: sql.placeholder('id'), name: sql.placeholder('name') })
    .onConflictDoUpdate({
      target: [teams.accountCode, teams.id],
      set: { name: sql`case when ${sql.placeholder('setName')} then excluded.name else ${teams.name} end` },
    })
    .returning(columns)
  const save = prepareRows(db, { query, read })
  return {
    findKept: (accountCode, id) => keptRows.of(accountCode).get(id),
    async findByIds(code, ids) {
      return findByIds(code, ids)
    },
    save(code, id, { name }) {
      return transactions.write(() => {
        keptRows.forget(code, id)
        provision.account(code)
        return save.only({ accountCode: code, id, name: name ?? null, setName: Number(name !== undefined) })
      })
    },
  }
}
