import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { CaseStore, CaseType, CaseTypeRevision } from '../../../domain/cases/case-store.ts'
import type { Store } from '../../../domain/store.ts'
import type { StoreLimits } from '../../../domain/store-limits.ts'
import type { Database } from '../../database.ts'
import { placeholders } from '../../dialect.ts'
import { all, first, type Work } from '../../work.ts'
import type { Parts } from '../parts.ts'
import { createCaseCommit } from './case-commit.ts'
import { createAppendCaseEvent, createCaseEventStore } from './case-events.ts'
import { createCaseReads } from './case-rows.ts'
import { prepareTypes, toType } from './case-types.ts'
import { prepareValues } from './field-values.ts'
import { createFindWithType } from './find-with-type.ts'

// More than the largest time limit of a change.
const maxLeaseMs = 2 * 3_600_000

type Dependencies = Pick<Parts, 'provision' | 'takeNumbers' | 'enqueue' | 'writeRuns' | 'stored'> & {
  readonly database: Database
  readonly limits: StoreLimits
  readonly onChange: Store['events']['onChange']
}

export function createCaseStore(dependencies: Dependencies): CaseStore {
  const { database, onChange, provision } = dependencies
  const { change, write, read } = database
  const appendEvent = createAppendCaseEvent(database)
  const values = prepareValues(database)
  const reads = createCaseReads(database)
  const types = prepareTypes(database)
  const leases = prepareLeases(database)

  // Returns null if the type has another revision. The lock keeps it at its revision until the commit.
  function writeAtRevision<T>(
    accountCode: string,
    { code, revision }: CaseTypeRevision,
    work: () => Work<T>,
  ): Promise<T | null> {
    return write(
      accountCode,
      function* () {
        const type = yield* first(types.lock, { accountCode, code })
        return type?.revision === revision ? yield* work() : null
      },
      { hasChanged: result => result !== null },
    )
  }

  const findType = database.untilChange(database.tables.caseTypes, async (accountCode, code) => {
    const [row] = await read(types.find, { accountCode, code })
    return row === undefined ? null : toType(row)
  })

  return {
    ...reads.store,
    ...createCaseCommit({ ...dependencies, appendEvent, reads, values }),
    events: createCaseEventStore(database, onChange),
    async lease(accountCode, id, { holder, ms }) {
      const taken = await write(accountCode, () => first(leases.take, { accountCode, id, holder, ms }))
      return taken !== undefined
    },
    async release(accountCode, id, holder) {
      await write(accountCode, () => all(leases.release, { accountCode, id, holder }))
    },
    async deleteEndedLeases() {
      await write(null, () => all(leases.deleteEnded, {}), { hasChanged: rows => rows.length > 0 })
    },
    findType,
    findWithType: createFindWithType(database, { ...reads, findType }),
    listTypes: async accountCode => (await read(types.list, { accountCode })).map(toType),
    saveType: (origin, type) =>
      change(
        origin,
        function* () {
          const { accountCode } = origin
          yield* provision.account(accountCode)
          const values = { accountCode, ...type, revision: 1, lastRevision: type.revision }
          const row = yield* first(types.save, values)
          return row === undefined ? null : toType(row)
        },
        { hasChanged: saved => saved !== null },
      ),
    findSavedType: async origin => (await database.findStep<CaseType>(origin)) ?? null,
    async addValues(accountCode, type, rows) {
      const added = await writeAtRevision(accountCode, type, () => values.add(accountCode, type.code, rows))
      return added !== null
    },
    async dropValues(accountCode, type, fields) {
      for (const field of fields) {
        for (let count: number | null = null; count !== 0; await nextTurn()) {
          count = await writeAtRevision(accountCode, type, () => values.drop(accountCode, type.code, field))
          if (count === null) return false
        }
      }
      return true
    },
  }
}

function prepareLeases({ prepare, now, nowPlus, typed, tables }: Database) {
  const { accountCode, id, holder } = placeholders('accountCode', 'id', 'holder')
  const until = nowPlus(sql.placeholder('ms'))
  const row = { caseId: tables.caseLeases.caseId }
  return {
    take: prepare(
      sql`
        insert into case_leases (account_code, case_id, holder, held_until)
        values (${accountCode}, ${id}, ${holder}, ${until})
        on conflict (account_code, case_id) do update set holder = excluded.holder, held_until = excluded.held_until
        where case_leases.holder = excluded.holder or case_leases.held_until < ${now}
        returning case_id`,
      row,
    ),
    release: prepare(sql`
      delete from case_leases
      where account_code = ${accountCode} and case_id = ${id} and holder = ${typed(holder, 'text')}`),
    // No lease is taken for so long. The clock was set back after one that ends later.
    deleteEnded: prepare(
      sql`delete from case_leases where held_until <= ${now} or held_until > ${nowPlus(maxLeaseMs)}
        returning case_id`,
      row,
    ),
  }
}
