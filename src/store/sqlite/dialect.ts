import type { Database as Client } from 'better-sqlite3'
import { getTableName, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { TimeCall } from '../database.ts'
import {
  columnsOf,
  type Dialect,
  listMembers,
  maxRows,
  onFirstUse,
  pageValues,
  type Statement,
} from '../dialect.ts'
import type { Selection } from '../tables/tables-of.ts'
import { createFindCached } from './cache/find-cached.ts'
import { createTableChanges } from './cache/table-changes.ts'
import { createUntilChange } from './cache/until-change.ts'
import { createChain } from './chain.ts'
import type { ChangeMark } from './connection/change-mark.ts'
import { createReadRow, type PrepareText, prepareRaw, toText } from './connection/create-prepare.ts'
import { encodeIds, isListed, list, prepareLists } from './list.ts'
import { now, tables } from './tables.ts'

interface Dependencies {
  readonly client: Client
  readonly changeMark: ChangeMark
  readonly time: TimeCall
}

export function createSqliteDialect({ client, changeMark, time }: Dependencies): Dialect {
  const changes = createTableChanges((text, params) => prepareRaw(client, text, params))
  const prepareText = prepareLists(changes.prepare)
  const prepare = createPrepare(prepareText)
  return {
    tables,
    isShared: false,
    prepare,
    prepareMany: prepare,
    chain: createChain(prepareText),
    after: () => sql`true`,
    list,
    forUpdate: sql``,
    skipLocked: sql``,
    forShare: sql``,
    byBytes: sql``,
    now,
    nowPlus: ms => sql`(${now} + ${ms})`,
    typed: (placeholder: Placeholder) => sql`${placeholder}`,
    jsonOf: selection => sql`json_object(${listMembers(selection)})`,
    isListed,
    encodeList: encodeIds,
    nextTokenId: prepareNextTokenId(prepare),
    pagesOfParents,
    untilChange(table, read) {
      const countOwn = changes.of(getTableName(table))
      return createUntilChange(read, () => changeMark.readOthers() + countOwn())
    },
    findByIds: (table, selection, reading = {}) =>
      createFindCached({ prepare, changeMark, time, table, selection, reading }),
  }
}

function createPrepare(prepareText: PrepareText): Dialect['prepare'] {
  function prepare(query: SQL, selection: Selection = {}): Statement<Readonly<Record<string, unknown>>> {
    const findStatement = onFirstUse(() => {
      const { text, params } = toText(query)
      return prepareText(text, params)
    })
    const readRow = createReadRow(selection)
    return { run: values => findStatement().run(values).map(readRow) }
  }
  return prepare as Dialect['prepare']
}

// Counts token ids in the counter row of the empty account code, which no account has.
function prepareNextTokenId(prepare: Dialect['prepare']) {
  return prepare(
    sql`
      insert into counters (account_code, name, value) values ('', 'API token', 1)
      on conflict do update set value = value + 1 returning value`,
    { id: tables.counters.value },
  )
}

// Reads pages of several parents. `cross join` makes SQLite keep the order of the loops. Without `materialized`, it
// would sort before the limit, and so read all pages.
const pagesOfParents: Dialect['pagesOfParents'] = ({ table, parent, selection }, side) => {
  const { accountCode, parentIds, after, before, limit } = pageValues
  const parentColumn = sql.identifier(table[parent].name)
  return sql`
    with pages as materialized (
    select ${columnsOf(selection)} from json_each(${parentIds}) as parent cross join ${table}
    where ${table.accountCode} = ${accountCode} and ${table[parent]} = parent.value and ${table.id} in (
      select slice.id from ${table} as slice
      where slice.account_code = ${accountCode} and slice.${parentColumn} = parent.value
        and slice.id > ${after} and slice.id < ${before}
      order by slice.id ${sql.raw(side)} limit ${limit}
    )
    limit ${maxRows}
    ) select * from pages order by id`
}
