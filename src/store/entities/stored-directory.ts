import { sql } from 'drizzle-orm'
import type { PlainOrigin } from '../../domain/port.ts'
import type { Store } from '../../domain/store.ts'
import { select } from '../columns.ts'
import type { Database } from '../database.ts'
import { columnsOf, type IdSelection, type IdTable, placeholders } from '../dialect.ts'
import { createStepParts, createSteps, stepValues } from '../steps.ts'
import { toColumnName } from '../tables/describe-table.ts'
import type { RowOf, StoreColumn } from '../tables/tables-of.ts'
import { first } from '../work.ts'
import type { Parts } from './parts.ts'
import { insertAccount } from './provision.ts'

/** The stores of users and teams. */
export function createDirectory(database: Database, parts: Parts): Pick<Store, 'users' | 'teams'> {
  const { prepare, chain, tables, read, write, writeEach } = database
  const { addUser, forgetCallers } = parts
  const user = select(tables.users, { omit: ['accountCode', 'createdAt'] })
  const team = select(tables.teams, { omit: ['accountCode', 'createdAt'] })
  const step = createStepParts(database)
  const { find: findStep } = createSteps(database)
  const given = placeholders('accountCode', 'email')
  const findByEmail = prepare(
    sql`
      select ${columnsOf(user)} from users where account_code = ${given.accountCode} and email = ${given.email}
      order by id limit 1`,
    user,
  )
  return {
    users: {
      ...createRecords(tables.users, user, forgetCallers),
      async findByEmail(accountCode, email) {
        const [user] = await read(findByEmail, { accountCode, email })
        return user ?? null
      },
      create: (accountCode, details) => write(accountCode, () => addUser(accountCode, details)),
    },
    teams: createRecords(tables.teams, team, () => {}),
  }

  /** `beforeSave` is called in the work of the change. */
  function createRecords<S extends IdSelection>(
    table: IdTable & { readonly createdAt: StoreColumn<Date> },
    selection: S,
    beforeSave: () => void,
  ) {
    const { forget, ...reads } = database.findByIds(table, selection)
    const details = Object.keys(selection).filter(name => name !== 'id')
    const changes = details.map(name => {
      const column = sql.identifier(toColumnName(name))
      const isGiven = database.typed(sql.placeholder(`set ${name}`), 'boolean')
      return sql`${column} = case when ${isGiven} then excluded.${column} else ${table}.${column} end`
    })
    const names = ['accountCode', 'id', ...details]
    const values = names.map(name => sql.placeholder(name))
    // It returns no row if the step was made before.
    const save = chain(
      {
        account: insertAccount(database),
        saved: sql`
          insert into ${table} (${sql.raw(names.map(toColumnName).join(', '))})
          select ${sql.join(values, sql`, `)} where ${step.isOpen}
          on conflict (account_code, id) do update set ${sql.join(changes, sql`, `)} returning ${columnsOf(selection)}`,
        step: step.insert('saved', selection),
      },
      'saved',
      selection,
    )
    return {
      ...reads,
      save: (origin: PlainOrigin, id: number, given: Readonly<Record<string, string | null>>) =>
        // A transaction would hold the row over round trips: if a gateway hung, each of its saves of the row in turn.
        writeEach(
          origin.accountCode,
          function* () {
            const { accountCode } = origin
            forget(accountCode, id)
            beforeSave()
            const values: Record<string, unknown> = { accountCode, id, ...stepValues(origin) }
            for (const name of details) {
              values[name] = given[name] ?? null
              values[`set ${name}`] = given[name] !== undefined
            }
            const saved = (yield* first(save, values)) ?? (yield* findStep<RowOf<S>>(origin))
            if (saved === undefined) throw new Error('A save returned no row.')
            return saved
          },
          { usesAccountSlot: true },
        ),
    }
  }
}
