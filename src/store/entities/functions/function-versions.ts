import { sql } from 'drizzle-orm'
import type { FunctionStore, FunctionVersion, NewVersion } from '../../../domain/functions/function-store.ts'
import type { Origin } from '../../../domain/port.ts'
import { storedRowBytes } from '../../../domain/store-limits.ts'
import { insertInto, select } from '../../columns.ts'
import type { Database } from '../../database.ts'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import { createPageByParent } from '../../page-by-parent.ts'
import { numberOf } from '../../tables/tables-of.ts'
import { all, first, only, type Refusal, type Work } from '../../work.ts'
import type { Parts } from '../parts.ts'
import { rowBytes } from '../stored-bytes.ts'

interface Pruning {
  readonly accountCode: string
  readonly functionId: number
  /** Ids of versions that must stay, however old. */
  readonly keptIds: readonly number[]
  /** Where the last call ended. */
  readonly prunedToId: number
}

// Maximum number of versions examined at once. A function may have as many old versions as its account has runs, and
// each is looked up among the runs.
const maxExamined = 20

export type Versions = ReturnType<typeof createVersions>

/** Changes versions, inside a transaction that locks their function. */
export function createVersions(
  database: Database,
  { takeNumbers, stored }: Pick<Parts, 'takeNumbers' | 'stored'>,
) {
  const { tables, read, encodeList, list, prepareMany } = database
  const { functionVersions } = tables
  const selection = selectVersion(database)
  const statements = prepareStatements(database)
  const asked = list('asked', { functionId: 'integer', hash: 'text' })
  // `cross join` makes SQLite look each version up in the index.
  const versionsOf = prepareMany(
    sql`select ${columnsOf(selection)} from ${asked.rows} cross join ${functionVersions}
      where ${functionVersions.accountCode} = ${sql.placeholder('accountCode')}
        and ${functionVersions.functionId} = asked.function_id and ${functionVersions.hash} = asked.hash`,
    selection,
  )
  const { forget: _, ...versions } = database.findByIds(functionVersions, selection)
  const pageVersions = createPageByParent(database, {
    table: functionVersions,
    parent: 'functionId',
    selection,
  })

  return {
    store: {
      versions,
      pageVersions,
      sources: {
        findByIds: (accountCode, ids) => read(statements.findSources, { accountCode, ids: encodeList(ids) }),
      },
      findLiveOf: (accountCode, functionIds) =>
        read(statements.findLiveOf, { accountCode, ids: encodeList(functionIds) }),
      findVersionsOf: (accountCode, named) => read(versionsOf, { accountCode, ...asked.encode(named) }),
      async findVersion(accountCode, functionId, hash) {
        const [found] = await read(statements.findVersion, { accountCode, functionId, hash })
        return found ?? null
      },
    } satisfies Pick<
      FunctionStore,
      'versions' | 'pageVersions' | 'sources' | 'findLiveOf' | 'findVersionsOf' | 'findVersion'
    >,

    find: (accountCode: string, functionId: number, hash: string) =>
      first(statements.find, { accountCode, functionId, hash }),

    *hashOf(accountCode: string, id: number): Work<string> {
      return (yield* only(statements.hashOf, { accountCode, id })).hash
    },

    read: (accountCode: string, id: number) => only(statements.read, { accountCode, id }),

    /** Returns the id of the version, an existing one if the source is the same. */
    *add(
      { accountCode, userId, email }: Origin,
      functionId: number,
      version: NewVersion,
    ): Work<number | Refusal> {
      const { hash, sourceCode, sourceBytes, comment } = version
      const found = yield* first(statements.find, { accountCode, functionId, hash })
      if (found !== undefined) return found.id
      const full = yield* stored.add(accountCode, sourceBytes + storedRowBytes)
      if (full !== null) return full
      const id = yield* takeNumbers(accountCode, 'function version')
      const values = { accountCode, id, functionId, hash, sourceBytes, comment, sourceCode }
      yield* all(statements.insert, { ...values, byUserId: userId, byEmail: email })
      return id
    },

    /**
     * Deletes versions past the newest `maxVersions` that no run refers to. Examines a few of them, from the oldest on,
     * and returns where the next call continues.
     */
    *prune({ accountCode, functionId, keptIds, prunedToId }: Pruning, maxVersions: number): Work<number> {
      const newestOld = yield* first(statements.findNewestOld, { accountCode, functionId, maxVersions })
      if (newestOld === undefined) return prunedToId
      const range = { after: prunedToId, last: newestOld.id, limit: maxExamined }
      const examined = (yield* all(statements.listOld, { accountCode, functionId, ...range })).map(
        ({ id }) => id,
      )
      const unkept = examined.filter(id => !keptIds.includes(id))
      if (unkept.length > 0) {
        yield* stored.lower(yield* all(statements.deleteUnused, { accountCode, ids: encodeList(unkept) }))
      }
      return examined.length < maxExamined ? 0 : (examined.at(-1) ?? 0)
    },
  }
}

/** The time is a text if the row was stored as the result of an idempotency step. */
export function toVersion<Version extends FunctionVersion>(row: Version): Version {
  return { ...row, at: new Date(row.at) }
}

function selectVersion({ tables: { functionVersions } }: Dialect) {
  const { createdAt: at, ...others } = select(functionVersions, { omit: ['accountCode', 'sourceCode'] })
  return { ...others, at }
}

const { accountCode, functionId, hash, id } = placeholders('accountCode', 'functionId', 'hash', 'id')
const { ids, after, last, limit } = placeholders('ids', 'after', 'last', 'limit')

function prepareStatements(dialect: Dialect) {
  const { prepare, prepareMany, isListed, tables } = dialect
  const { functionVersions: versions, functions, removedFunctions } = tables
  const version = selectVersion(dialect)
  const selection = { ...version, sourceCode: versions.sourceCode }
  const source = { id: versions.id, sourceCode: versions.sourceCode }
  const prunedBytes = sql`source_bytes + ${rowBytes}`
  const isOfAccount = sql`${versions.accountCode} = ${accountCode}`
  const isOfFunction = sql`${isOfAccount} and ${versions.functionId} = ${functionId}`
  return {
    find: prepare(sql`select id from ${versions} where ${isOfFunction} and ${versions.hash} = ${hash}`, {
      id: versions.id,
    }),
    hashOf: prepare(sql`select hash from ${versions} where ${isOfAccount} and ${versions.id} = ${id}`, {
      hash: versions.hash,
    }),
    read: prepare(
      sql`select ${columnsOf(selection)} from ${versions} where ${isOfAccount} and ${versions.id} = ${id}`,
      selection,
    ),
    findLiveOf: prepareMany(
      sql`
        select ${columnsOf(version)} from ${versions}
        where ${isOfAccount} and ${versions.id} in (
          select live_version_id from functions where account_code = ${accountCode} and ${isListed(functions.id, ids)}
          union all select live_version_id from removed_functions
          where account_code = ${accountCode} and ${isListed(removedFunctions.id, ids)}
        )`,
      version,
    ),
    findVersion: prepare(
      sql`
        select coalesce(${functions.name}, ${removedFunctions.name}), ${versions.hash}, ${versions.sourceCode}
        from ${versions}
        left join ${functions} on ${functions.accountCode} = ${versions.accountCode}
          and ${functions.id} = ${versions.functionId}
        left join ${removedFunctions} on ${removedFunctions.accountCode} = ${versions.accountCode}
          and ${removedFunctions.id} = ${versions.functionId}
        where ${isOfFunction} and ${versions.hash} = ${hash}`,
      { name: functions.name, hash: versions.hash, sourceCode: versions.sourceCode },
    ),
    findSources: prepareMany(
      sql`select ${columnsOf(source)} from ${versions} where ${isOfAccount} and ${isListed(versions.id, ids)}`,
      source,
    ),
    insert: prepare(insertInto(versions, { omit: ['createdAt'] })),
    findNewestOld: prepare(
      sql`
        select id from ${versions} where ${isOfFunction}
        order by ${versions.id} desc limit 1 offset ${sql.placeholder('maxVersions')}`,
      { id: versions.id },
    ),
    listOld: prepare(
      sql`
        select id from ${versions} where ${isOfFunction} and ${versions.id} > ${after} and ${versions.id} <= ${last}
        order by ${versions.id} limit ${limit}`,
      { id: versions.id },
    ),
    // The first run from this version on, in the order of their index: PostgreSQL may answer `not exists` by reading
    // all runs.
    deleteUnused: prepare(
      sql`
      delete from function_versions where account_code = ${accountCode} and ${isListed(versions.id, ids)}
        and hash <> coalesce((
          select runs.function_version from runs
          where runs.account_code = ${accountCode} and runs.function_version >= function_versions.hash
          order by runs.function_version limit 1
        ), '') returning account_code, ${prunedBytes}`,
      { accountCode: versions.accountCode, bytes: numberOf(prunedBytes) },
    ),
  }
}
