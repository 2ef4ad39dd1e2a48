import { sql } from 'drizzle-orm'
import type { TeamStore } from '../../domain/store.ts'
import type { Database } from '../database.ts'
import { placeholders } from '../dialect.ts'
import { only } from '../work.ts'
import type { Parts } from './entities.ts'

export function createTeamStore(database: Database, { provision }: Parts): TeamStore {
  const { build, prepare, typed, tables, write } = database
  const { teams } = tables
  const selection = { id: teams.id, name: teams.name }
  const { forget, ...reads } = database.findByIds(teams, selection)
  const setName = typed(sql.placeholder('setName'), 'boolean')
  const save = build
    .insert(teams)
    .values(placeholders('accountCode', 'id', 'name'))
    .onConflictDoUpdate({
      target: [teams.accountCode, teams.id],
      set: { name: sql`case when ${setName} then excluded.name else ${teams.name} end` },
    })
  const saving = prepare(save.returning(selection), selection)
  return {
    ...reads,
    save: (accountCode, id, { name }) =>
      write(accountCode, function* () {
        forget(accountCode, id)
        yield* provision.account(accountCode)
        return yield* only(saving, { accountCode, id, name: name ?? null, setName: name !== undefined })
      }),
  }
}
