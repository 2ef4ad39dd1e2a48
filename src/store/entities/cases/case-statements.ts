import { sql } from 'drizzle-orm'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import { numberOf, orNull } from '../../tables/tables-of.ts'
import { storedBytes } from '../stored-bytes.ts'
import { buildIsFree, selectCase } from './case-rows.ts'

export type CaseStatements = ReturnType<typeof prepareCaseStatements>

/** Prepares the statements that change one case. */
export function prepareCaseStatements({ prepare, tables, forShare, forUpdate, now }: Dialect) {
  const given = placeholders(
    'accountCode',
    'id',
    'caseTypeCode',
    'version',
    'data',
    'dataBytes',
    'leaseHolder',
  )
  const { accountCode, id, caseTypeCode, version, data, dataBytes, leaseHolder } = given
  const selection = selectCase(tables)
  const { waiting, waitingBytes } = tables.queueAccounts
  const ofQueue = (column: string) => sql`
    coalesce((select ${sql.raw(column)} from queue_accounts where account_code = ${accountCode}), 0)`
  const returning = sql`returning ${columnsOf(selection)}`
  const isTheCase = sql`account_code = ${accountCode} and id = ${id}`
  const isAsRead = sql`
    ${isTheCase} and version = ${version} and ${buildIsFree(now, sql`${id}`, sql`${leaseHolder}`)}`
  return {
    /** Returns the revision of a type, which stays until the commit, and how much the account stores and queues. */
    lockType: prepare(
      sql`
        select (
          select revision from case_types where account_code = ${accountCode} and code = ${caseTypeCode} ${forShare}
        ), ${ofQueue('waiting')}, ${ofQueue('waiting_bytes')}, ${storedBytes}`,
      {
        revision: orNull(tables.caseTypes.revision),
        waiting,
        waitingBytes,
        storedBytes: numberOf(storedBytes),
      },
    ),
    insert: prepare(
      sql`
        insert into cases (account_code, id, case_type_code, data, data_bytes)
        values (${accountCode}, ${id}, ${caseTypeCode}, ${data}, ${dataBytes}) ${returning}`,
      selection,
    ),
    /** Returns no row for a case that is not at `version`, or of which another has the lease. */
    update: prepare(
      sql`
        update cases set data = ${data}, data_bytes = ${dataBytes}, version = version + 1, updated_at = ${now}
        where ${isAsRead} ${returning}`,
      selection,
    ),
    lock: prepare(sql`select ${columnsOf(selection)} from cases where ${isAsRead} ${forUpdate}`, selection),
    remove: prepare(sql`delete from cases where ${isTheCase}`),
  }
}
