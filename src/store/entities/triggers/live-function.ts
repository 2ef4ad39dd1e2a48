import { type SQL, sql } from 'drizzle-orm'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import type { RowOf, Selection } from '../../tables/tables-of.ts'
import { all } from '../../work.ts'
import type { FindTriggers } from '../parts.ts'

// Maximum number of triggers to read. A message names the first ones.
const maxNamed = sql.raw('11')

const { accountCode, functionId } = placeholders('accountCode', 'functionId')

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

/** Names the triggers of a kind that use a function. */
export function createFindTriggers<S extends Selection>(
  { prepare, tables }: Dialect,
  { table, selection }: { readonly table: 'hooks' | 'caseTasks'; readonly selection: S },
  describe: (row: RowOf<S>) => string,
): FindTriggers {
  const find = prepare(
    sql`
      select ${columnsOf(selection)} from ${tables[table]}
      where account_code = ${accountCode} and function_id = ${functionId} order by id limit ${maxNamed}`,
    selection,
  )
  return function* findTriggers(accountCode, functionId) {
    return (yield* all(find, { accountCode, functionId })).map(describe)
  }
}
