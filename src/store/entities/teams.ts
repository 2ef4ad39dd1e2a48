import { sql } from 'drizzle-orm'
import type { TeamStore } from '../../domain/store.ts'
import type { Database } from '../database.ts'
import { only } from '../work.ts'
import type { Parts } from './entities.ts'

export function createTeamStore(database: Database, { provision }: Parts): TeamStore {
  const { build, prepare, tables, write } = database
  const { teams } = tables
  const selection = { id: teams.id, name: teams.name }
  const { find, findCached, forget } = database.findByIds(teams, selection)
  const setName = database.typed(sql.placeholder('setName'), 'boolean')
  const save = prepare(
    build
      .insert(teams)
      .values({
        accountCode: sql.placeholder('accountCode'),
        id: sql.placeholder('id'),
        name: sql.placeholder('name'),
      })
      .onConflictDoUpdate({
        target: [teams.accountCode, teams.id],
        set: { name: sql`case when ${setName} then excluded.name else ${teams.name} end` },
      })
      .returning(selection),
    selection,
  )
  return {
    findByIds: find,
    ...(findCached && { findKept: findCached }),
    save: (accountCode, id, { name }) =>
      write(accountCode, function* () {
        forget(accountCode, id)
        yield* provision.account(accountCode)
        return yield* only(save, { accountCode, id, name: name ?? null, setName: name !== undefined })
      }),
  }
}
