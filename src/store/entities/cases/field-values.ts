import { sql } from 'drizzle-orm'
import type { ReadValues } from '../../../domain/cases/case-store.ts'
import { type Dialect, placeholders } from '../../dialect.ts'
import { unread, type Work } from '../../work.ts'

/** Prepares what writes the values of indexed fields in the transaction that changes the case. */
export function prepareValues({ prepare, list, forShare }: Dialect) {
  const { accountCode, caseTypeCode, id } = placeholders('accountCode', 'caseTypeCode', 'id')
  const added = list('added', { caseId: 'integer', version: 'integer', field: 'text', value: 'text' })
  const dropped = list('dropped', { field: 'text' })
  // Inserts values only for cases that have not changed since they were read. The lock waits for a running save or
  // delete of the case, and blocks the next one. A foreign key alone would not wait for a save.
  const insert = prepare(sql`
    insert into case_values (account_code, case_type_code, field, value, case_id)
    select ${accountCode}, ${caseTypeCode}, added.field, added.value, added.case_id from ${added.rows}
    join cases on cases.account_code = ${accountCode} and cases.id = added.case_id
      and cases.version = added.version
    where true ${forShare} on conflict do nothing`)
  const clear = prepare(sql`delete from case_values where account_code = ${accountCode} and case_id = ${id}`)
  const drop = prepare(sql`
    delete from case_values
    where account_code = ${accountCode} and case_type_code = ${caseTypeCode}
      and field in (select field from ${dropped.rows})`)
  return {
    *add(accountCode: string, caseTypeCode: string, rows: readonly ReadValues[]): Work<void> {
      const flat = rows.flatMap(({ id, version, values }) =>
        values.map(value => ({ caseId: id, version, ...value })),
      )
      if (flat.length === 0) return
      yield* unread(insert, { accountCode, caseTypeCode, ...added.encode(flat) })
    },
    clear: (accountCode: string, id: number): Work<void> => unread(clear, { accountCode, id }),
    drop: (accountCode: string, caseTypeCode: string, fields: readonly string[]): Work<void> =>
      unread(drop, { accountCode, caseTypeCode, ...dropped.encode(fields.map(field => ({ field }))) }),
  }
}
