import { sql } from 'drizzle-orm'
import { assign, insertInto, select } from '../../columns.ts'
import { columnsOf, type Dialect, namesOf, placeholders, type Tables } from '../../dialect.ts'
import { numberOf } from '../../tables/tables-of.ts'

export type FunctionStatements = ReturnType<typeof prepareFunctionStatements>

export function prepareFunctionStatements({ prepare, typed, forUpdate, tables }: Dialect) {
  const { functions, functionVersions: versions, removedFunctions } = tables
  const selection = select(functions, { omit: ['accountCode', 'earlierLiveIds', 'prunedToId'] })
  const locked = select(functions, { omit: ['accountCode'] })
  const removed = select(removedFunctions, { omit: ['createdAt'] })
  const { id, name, caseTypeCode, liveVersionId } = functions
  // SQLite allows no table name in `returning`.
  const returning = sql`returning ${namesOf(locked)}`
  const given = placeholders('accountCode', 'id', 'name', 'caseTypeCode', 'hash', 'limit')
  const lock = sql`select ${columnsOf(locked)} from ${functions}
    where ${functions.accountCode} = ${given.accountCode}`
  const selectOne = sql`select ${columnsOf(selection)} from ${functions}
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
    findExact: prepare(sql`${selectOne} and ${isExact}`, selection),
    findByName: prepare(sql`${selectOne} and ${hasName} order by ${caseTypeCode} desc limit 1`, selection),
    listAfter: prepare(
      sql`${selectOne} and ${id} > ${given.id} order by ${id} limit ${given.limit}`,
      selection,
    ),
    count: prepare(
      sql`select count(*) as count from ${functions} where ${functions.accountCode} = ${given.accountCode}`,
      { count: numberOf(sql`count(*)`) },
    ),
    /** Inserts the function without a live version, which follows in the same transaction. */
    insert: prepare(
      sql`${insertInto(functions, { omit: ['earlierLiveIds', 'prunedToId', 'createdAt'] })} ${returning}`,
      locked,
    ),
    setLive: prepare(
      sql`update functions set ${assign(functions, { only: ['liveVersionId', 'earlierLiveIds'] })}
        where ${isTheFunction} ${returning}`,
      locked,
    ),
    /** A save with a hook before it commits only if the hook's function is still the one that ran. */
    raiseRevisions: prepare(
      sql`update case_types set revision = revision + 1
        where account_code = ${given.accountCode} and code in (
          select code from case_types where account_code = ${given.accountCode} and code in (
            select case_type_code from hooks
            where account_code = ${given.accountCode} and function_id = ${given.id}
              and event in ('pre-save', 'pre-delete')
          ) order by code ${forUpdate}
        )`,
    ),
    setPrunedTo: prepare(
      sql`update functions set ${assign(functions, { only: ['prunedToId'] })} where ${isTheFunction}`,
    ),
    keepRemoved: prepare(
      sql`insert into removed_functions (${namesOf(removed)})
        select ${namesOf(removed)} from functions where ${isTheFunction}`,
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

/** Selects a function that was removed. */
export function selectRemoved({ removedFunctions }: Tables) {
  return select(removedFunctions, { omit: ['accountCode', 'createdAt'] })
}
