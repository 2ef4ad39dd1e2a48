import { sql } from 'drizzle-orm'
import { columnsOf, type Dialect, placeholders, type Tables } from '../../dialect.ts'
import { numberOf } from '../../tables/tables-of.ts'

export function prepareFunctionStatements({ prepare, typed, forUpdate, tables }: Dialect) {
  const { functions, functionVersions: versions } = tables
  const selection = { ...selectFunction(functions), createdAt: functions.createdAt }
  const { id, name, caseTypeCode, liveVersionId } = functions
  const { earlierLiveIds, prunedToId } = functions
  const locked = { ...selection, earlierLiveIds, prunedToId }
  // SQLite allows no table name in `returning`.
  const returning = sql.raw(
    'id, name, case_type_code, live_version_id, created_at, earlier_live_ids, pruned_to_id',
  )
  const given = placeholders('accountCode', 'id', 'name', 'caseTypeCode', 'versionId', 'hash', 'limit')
  const lock = sql`select ${columnsOf(locked)} from ${functions}
    where ${functions.accountCode} = ${given.accountCode}`
  const select = sql`select ${columnsOf(selection)} from ${functions}
    where ${functions.accountCode} = ${given.accountCode}`
  const isTheFunction = sql`account_code = ${given.accountCode} and id = ${given.id}`
  // A case type code sorts after the empty one.
  const isExact = sql`${name} = ${given.name} and ${caseTypeCode} = ${given.caseTypeCode}`
  const hasName = sql`${name} = ${given.name} and ${caseTypeCode} in (${given.caseTypeCode}, '')`
  const runnable = { id, name, caseTypeCode, hash: versions.hash, sourceCode: versions.sourceCode }
  const hash = typed(given.hash, 'text')
  return {
    selection,
    lock: prepare(sql`${lock} and ${id} = ${given.id} ${forUpdate}`, locked),
    lockByName: prepare(sql`${lock} and ${isExact} ${forUpdate}`, locked),
    findExact: prepare(sql`${select} and ${isExact}`, selection),
    findByName: prepare(sql`${select} and ${hasName} order by ${caseTypeCode} desc limit 1`, selection),
    listAfter: prepare(sql`${select} and ${id} > ${given.id} order by ${id} limit ${given.limit}`, selection),
    count: prepare(
      sql`select count(*) as count from ${functions} where ${functions.accountCode} = ${given.accountCode}`,
      { count: numberOf(sql`count(*)`) },
    ),
    /** Inserts the function without a live version, which follows in the same transaction. */
    insert: prepare(
      sql`insert into functions (account_code, id, name, case_type_code, live_version_id)
        values (${given.accountCode}, ${given.id}, ${given.name}, ${given.caseTypeCode}, 0)
        returning ${returning}`,
      locked,
    ),
    setLive: prepare(
      sql`update functions set live_version_id = ${given.versionId},
          earlier_live_ids = ${sql.placeholder('earlierLiveIds')}
        where ${isTheFunction} returning ${returning}`,
      locked,
    ),
    setPrunedTo: prepare(
      sql`update functions set pruned_to_id = ${sql.placeholder('prunedToId')} where ${isTheFunction}`,
    ),
    keepRemoved: prepare(
      sql`insert into removed_functions (account_code, id, name, case_type_code, live_version_id)
        select account_code, id, name, case_type_code, live_version_id from functions where ${isTheFunction}`,
    ),
    delete: prepare(sql`delete from functions where ${isTheFunction}`),
    findRunnable: prepare(
      sql`select ${columnsOf(runnable)} from ${functions} left join ${versions}
        on ${versions.accountCode} = ${functions.accountCode} and ${versions.functionId} = ${id}
          and (${versions.hash} = ${hash} or (${hash} is null and ${versions.id} = ${liveVersionId}))
        where ${functions.accountCode} = ${given.accountCode} and ${hasName}
        order by ${caseTypeCode} desc limit 1`,
      runnable,
    ),
    findLive: prepare(
      sql`select ${columnsOf(runnable)} from ${functions} join ${versions}
        on ${versions.accountCode} = ${functions.accountCode} and ${versions.id} = ${liveVersionId}
        where ${functions.accountCode} = ${given.accountCode} and ${id} = ${given.id}`,
      runnable,
    ),
  }
}

/** Selects a function, live or removed. */
export function selectFunction(table: Tables['functions'] | Tables['removedFunctions']) {
  const { id, name, caseTypeCode, liveVersionId } = table
  return { id, name, caseTypeCode, liveVersionId }
}
