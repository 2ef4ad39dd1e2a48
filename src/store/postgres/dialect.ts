import { type SQL, sql } from 'drizzle-orm'
import {
  type Chain,
  columnsOf,
  type Dialect,
  type FindByIds,
  listMembers,
  maxRows,
  pageValues,
} from '../dialect.ts'
import type { Calls } from './connection/calls.ts'
import { createFindListed } from './find-listed.ts'
import { encodeIds, isListed, list } from './list.ts'
import { prepare, prepareMany } from './prepare.ts'
import { tables } from './tables.ts'

const types = { text: sql`text`, integer: sql`bigint`, boolean: sql`boolean`, bytes: sql`bytea` }

/** The part of the dialect that needs no connection. */
export const expressions: Pick<Dialect, 'typed' | 'jsonOf'> = {
  typed: (placeholder, type) => sql`${placeholder}::${types[type]}`,
  jsonOf: selection => sql`json_build_object(${listMembers(selection)})::text`,
}

export function createPostgresDialect(calls: Calls): Dialect {
  return {
    tables,
    isShared: true,
    prepare,
    prepareMany,
    chain: (parts, result, selection) => prepare(buildBatch(parts, result), selection),
    after: part => sql`(select count(*) from ${sql.raw(part)}) >= 0`,
    list,
    forUpdate: sql`for update`,
    skipLocked: sql`for update skip locked`,
    forShare: sql`for share`,
    byBytes: sql`collate "C"`,
    now: sql`now()`,
    nowPlus: ms => sql`(now() + ${ms}::float8 * interval '1 millisecond')`,
    ...expressions,
    isListed,
    encodeList: encodeIds,
    nextTokenId: prepare(sql`select nextval('api_tokens_id_seq')`, { id: tables.apiTokens.id }),
    pagesOfParents,
    untilChange: (_table, read) => read,
    findByIds(table, selection, { shared, decode } = {}) {
      const find = createFindListed(calls, table, { alone: selection, shared: { ...selection, ...shared } })
      const findByIds = decode === undefined ? find : decodeEach(find, decode)
      return { findByIds: findByIds as FindByIds<never>['findByIds'], forget: () => {} }
    },
  }
}

function decodeEach<Row, Decoded>(
  find: FindByIds<Row>['findByIds'],
  decode: (row: Row) => Decoded,
): FindByIds<Decoded>['findByIds'] {
  return async (accountCode, ids) => (await find(accountCode, ids)).map(decode)
}

function buildBatch(parts: Chain, result: string): SQL {
  const named = Object.entries(parts).map(([name, part]) => sql`${sql.raw(name)} as (${part})`)
  return sql`with ${sql.join(named, sql`, `)} select * from ${sql.raw(result)}`
}

const pagesOfParents: Dialect['pagesOfParents'] = ({ table, parent, selection }, side) => {
  const { accountCode, parentIds, after, before, limit } = pageValues
  return sql`
    select * from (
    select slice.* from unnest(${parentIds}::bigint[]) as parent (id) cross join lateral (
      select ${columnsOf(selection)} from ${table}
      where ${table.accountCode} = ${accountCode} and ${table[parent]} = parent.id
        and ${table.id} > ${after} and ${table.id} < ${before}
      order by ${table.id} ${sql.raw(side)} limit ${limit}
    ) as slice limit ${maxRows}
    ) as pages order by id`
}
