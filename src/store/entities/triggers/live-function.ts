import { type SQL, sql } from 'drizzle-orm'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import type { Selection } from '../../tables/tables-of.ts'

const { accountCode } = placeholders('accountCode')

interface Live<S extends Selection> {
  readonly table: 'hooks' | 'caseTasks'
  readonly more: S
  readonly where: SQL
}

/** Prepares the look-up of enabled triggers, with the live versions of their functions. */
export function prepareLive<S extends Selection>(
  { prepare, tables }: Dialect,
  { table, more, where }: Live<S>,
) {
  const { functions, functionVersions: versions } = tables
  const triggers = tables[table]
  const selection = {
    id: triggers.id,
    functionId: triggers.functionId,
    functionName: functions.name,
    hash: versions.hash,
    sourceCode: versions.sourceCode,
    scopes: triggers.scopes,
    ...more,
  }
  return prepare(
    sql`
      select ${columnsOf(selection)} from ${triggers}
      join ${functions} on ${functions.accountCode} = ${triggers.accountCode}
        and ${functions.id} = ${triggers.functionId}
      join ${versions} on ${versions.accountCode} = ${functions.accountCode}
        and ${versions.id} = ${functions.liveVersionId}
      where ${triggers.accountCode} = ${accountCode} and ${triggers.enabled} and ${where}`,
    selection,
  )
}
