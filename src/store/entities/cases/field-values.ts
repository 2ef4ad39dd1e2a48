import { type SQL, sql } from 'drizzle-orm'
import type { ReadValues } from '../../../domain/cases/case-store.ts'
import { type Dialect, placeholders } from '../../dialect.ts'
import { numberOf } from '../../tables/tables-of.ts'
import { all, unread, type Work } from '../../work.ts'

// Maximum number of values that one statement drops. All values of a field would take longer than a statement may.
const maxDropped = sql.raw('1000')

export type FieldValues = ReturnType<typeof prepareValues>

/** Prepares what writes the values of indexed fields in the transaction that changes the case. */
export function prepareValues(dialect: Dialect) {
  const { prepare, list, isListed, encodeList, forShare, tables } = dialect
  const { accountCode, caseTypeCode, ids } = placeholders('accountCode', 'caseTypeCode', 'ids')
  const added = list('added', { caseId: 'integer', version: 'integer', field: 'text', value: 'text' })
  // Inserts values only for cases that have not changed since they were read. The lock waits for a running save or
  // delete of the case, and blocks the next one. A foreign key alone would not wait for a save. Like saves, it locks
  // cases in ascending order. `cross join` makes SQLite look up each added value's case, not each case's added values.
  const insert = prepare(sql`
    insert into case_values (account_code, case_type_code, field, value, case_id)
    select ${accountCode}, ${caseTypeCode}, added.field, added.value, added.case_id from ${added.rows} cross join cases
    where cases.account_code = ${accountCode} and cases.id = added.case_id and cases.version = added.version
    order by cases.id ${forShare} on conflict do nothing`)
  const areListed = sql`account_code = ${accountCode} and ${isListed(tables.caseValues.caseId, ids)}`
  const remove = prepare(buildDelete(dialect, areListed))
  const drop = prepare(sql`${buildDelete(dialect, buildFirst(dialect))} returning 1 as one`, {
    one: numberOf(sql`1`),
  })

  function* add(accountCode: string, caseTypeCode: string, rows: readonly ReadValues[]): Work<void> {
    const flat = rows.flatMap(({ id, version, values }) =>
      values.map(value => ({ caseId: id, version, ...value })),
    )
    if (flat.length === 0) return
    yield* unread(insert, { accountCode, caseTypeCode, ...added.encode(flat) })
  }

  const clear = (accountCode: string, ids: readonly number[]): Work<void> =>
    unread(remove, { accountCode, ids: encodeList(ids) })

  return {
    add,
    clear,
    /** Writes the values of cases of one type, in place of those that they had unless they are new. */
    *write(
      accountCode: string,
      caseTypeCode: string,
      rows: readonly ReadValues[],
      areNew: boolean,
    ): Work<void> {
      const ids = rows.map(({ id }) => id)
      if (!areNew) yield* clear(accountCode, ids)
      yield* add(accountCode, caseTypeCode, rows)
    },
    /** Deletes some values of a field. Returns their number; 0 if there are none left. */
    *drop(accountCode: string, caseTypeCode: string, field: string): Work<number> {
      return (yield* all(drop, { accountCode, caseTypeCode, field })).length
    },
  }
}

// On PostgreSQL a save and a change of the type may delete the same rows at once, so both lock them in one order.
function buildDelete({ isShared, forUpdate }: Dialect, areWanted: SQL): SQL {
  if (!isShared) return sql`delete from case_values where ${areWanted}`
  return sql`
    delete from case_values where ctid = any (array(
      select ctid from case_values where ${areWanted} order by case_id, field, value ${forUpdate}
    ))`
}

// The first values of a field, along the key of the table. With the account beside their row ids, SQLite would look for
// them among all values of the account.
function buildFirst({ isShared }: Dialect): SQL {
  const { accountCode, caseTypeCode, field } = placeholders('accountCode', 'caseTypeCode', 'field')
  const some = sql`
    from case_values
    where account_code = ${accountCode} and case_type_code = ${caseTypeCode} and field = ${field}
    order by value, case_id limit ${maxDropped}`
  return isShared ? sql`ctid = any (array(select ctid ${some}))` : sql`rowid in (select rowid ${some})`
}
