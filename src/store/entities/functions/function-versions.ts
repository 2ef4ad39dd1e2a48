import { sql } from 'drizzle-orm'
import type { FunctionStore, FunctionVersion, NewVersion } from '../../../domain/functions/function-store.ts'
import type { Origin } from '../../../domain/store.ts'
import { storedRowBytes } from '../../../domain/store-limits.ts'
import type { Database } from '../../database.ts'
import { columnsOf, type Dialect, insertValues, placeholders } from '../../dialect.ts'
import { createPageByParent } from '../../page-by-parent.ts'
import { numberOf } from '../../tables/tables-of.ts'
import { all, first, only } from '../../work.ts'
import type { Parts } from '../entities.ts'
import { rowBytes } from '../stored-bytes.ts'

interface Pruning {
  readonly accountCode: string
  readonly functionId: number
  readonly liveVersionId: number
  /** The version that was just saved. */
  readonly versionId: number
}

/** Work on versions, for the transactions of their functions, which lock the function. */
export function createVersions(
  database: Database,
  { takeNumbers, stored }: Pick<Parts, 'takeNumbers' | 'stored'>,
) {
  const { tables, read, encodeList } = database
  const { functionVersions } = tables
  const selection = selectVersion(database)
  const statements = prepareStatements(database)
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
      async findSource(accountCode, functionId, hash) {
        const [found] = await read(statements.findSource, { accountCode, functionId, hash })
        return found?.sourceCode ?? null
      },
    } satisfies Pick<FunctionStore, 'versions' | 'pageVersions' | 'sources' | 'findSource'>,

    find: (accountCode: string, functionId: number, hash: string) =>
      first(statements.find, { accountCode, functionId, hash }),

    read: (accountCode: string, id: number) => only(statements.read, { accountCode, id }),

    /** Gives the id of the version, an existing one if the source is the same. */
    *add({ accountCode, userId, email }: Origin, functionId: number, version: NewVersion) {
      const { hash, sourceCode, sourceBytes, comment } = version
      const found = yield* first(statements.find, { accountCode, functionId, hash })
      if (found !== undefined) return found.id
      yield* stored.add(accountCode, sourceBytes + storedRowBytes)
      const id = yield* takeNumbers(accountCode, 'function version')
      const values = { accountCode, id, functionId, hash, sourceBytes, comment, sourceCode }
      yield* all(statements.insert, { ...values, byUserId: userId, byEmail: email })
      return id
    },

    *prune(pruning: Pruning, maxVersions: number) {
      const { count } = yield* only(statements.count, { ...pruning })
      if (count <= maxVersions) return
      const pruned = yield* all(statements.prune, { ...pruning, limit: count - maxVersions })
      const freed = pruned.reduce((sum, { bytes }) => sum + bytes, 0)
      yield* stored.add(pruning.accountCode, -freed)
    },
  }
}

/** Its time is text if the row was kept as the result of an idempotency step. */
export function toVersion<Version extends FunctionVersion>(row: Version): Version {
  return { ...row, at: new Date(row.at) }
}

function selectVersion({ tables: { functionVersions } }: Dialect) {
  const { id, functionId, hash, sourceBytes, comment, byUserId, byEmail, createdAt } = functionVersions
  return { id, functionId, hash, sourceBytes, comment, byUserId, byEmail, at: createdAt }
}

const { accountCode, functionId, hash, id } = placeholders('accountCode', 'functionId', 'hash', 'id')
const { ids, liveVersionId, versionId, limit } = placeholders('ids', 'liveVersionId', 'versionId', 'limit')

function prepareStatements(dialect: Dialect) {
  const { prepare, prepareMany, isListed, tables } = dialect
  const { functionVersions: versions } = tables
  const selection = { ...selectVersion(dialect), sourceCode: versions.sourceCode }
  const source = { id: versions.id, sourceCode: versions.sourceCode }
  const prunedBytes = sql`source_bytes + ${rowBytes}`
  const isOfAccount = sql`${versions.accountCode} = ${accountCode}`
  const isOfFunction = sql`${isOfAccount} and ${versions.functionId} = ${functionId}`
  return {
    find: prepare(sql`select id from ${versions} where ${isOfFunction} and ${versions.hash} = ${hash}`, {
      id: versions.id,
    }),
    read: prepare(
      sql`select ${columnsOf(selection)} from ${versions} where ${isOfAccount} and ${versions.id} = ${id}`,
      selection,
    ),
    findSource: prepare(
      sql`select source_code from ${versions} where ${isOfFunction} and ${versions.hash} = ${hash}`,
      { sourceCode: versions.sourceCode },
    ),
    findSources: prepareMany(
      sql`select ${columnsOf(source)} from ${versions} where ${isOfAccount} and ${isListed(versions.id, ids)}`,
      source,
    ),
    insert: prepare(sql`
      insert into function_versions ${insertValues(
        'accountCode',
        'id',
        'functionId',
        'hash',
        'sourceBytes',
        'comment',
        'byUserId',
        'byEmail',
        'sourceCode',
      )}`),
    count: prepare(sql`select count(*) as count from ${versions} where ${isOfFunction}`, {
      count: numberOf(sql`count(*)`),
    }),
    prune: prepare(
      sql`
      delete from ${versions} where ${isOfAccount} and ${versions.id} in (
        select oldest.id from function_versions as oldest
        where oldest.account_code = ${accountCode} and oldest.function_id = ${functionId}
          and oldest.id <> ${liveVersionId} and oldest.id <> ${versionId} and not exists (
            select 1 from runs where runs.account_code = oldest.account_code and runs.function_version = oldest.hash
          )
        order by oldest.id limit ${limit}
      ) returning ${prunedBytes}`,
      { bytes: numberOf(prunedBytes) },
    ),
  }
}
