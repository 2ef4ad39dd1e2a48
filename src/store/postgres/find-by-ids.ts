import { and, eq, type SQLWrapper, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import { askTogether } from './ask-together.ts'
import type { Client } from './client.ts'
import { encodeIds, encodeTexts, isListed } from './id-list.ts'
import { type Columns, prepareColumns } from './prepare-columns.ts'

export interface Reading {
  readonly db: PgRemoteDatabase
  /** That of who asks. */
  readonly client: Client
  /** For what is read together for several accounts: in nobody's transaction, and in a turn of its own. */
  readonly shared: Client
}

interface FindByIds<Row> extends Reading {
  readonly table: PgTable & { readonly accountCode: PgColumn; readonly id: PgColumn }
  readonly columns: { readonly [Name in keyof Row]: SQLWrapper }
  /** Makes the row at an index of the columns. */
  readonly read: (columns: Columns<Row>, index: number) => Row
}

interface Ask {
  readonly accountCode: string
  readonly ids: readonly number[]
}

// A longer list goes alone, in the turn of its account, so that nobody waits for the rows of another.
const maxIdsTogether = 20

/**
 * The rows of an account that have one of these ids. Those who ask for few in the same turn of the event loop, for whichever account, are
 * answered by one statement: under load it is a tenth of the work, for the gateway and for PostgreSQL.
 */
export function createFindByIds<Row extends { readonly id: number }>(parts: FindByIds<Row>) {
  const findList = prepareList(parts)
  const findPairs = preparePairs(parts)

  const findTogether = askTogether(async (asks: readonly Ask[]) => {
    const [first] = asks
    return first !== undefined && asks.length === 1 ? [await findList(first)] : findPairs(asks)
  })
  return (accountCode: string, ids: readonly number[]): Promise<Row[]> =>
    ids.length > maxIdsTogether ? findList({ accountCode, ids }) : findTogether({ accountCode, ids })
}

function prepareList<Row extends { readonly id: number }>({
  db,
  client,
  table,
  columns,
  read,
}: FindByIds<Row>) {
  const find = prepareColumns<Row>({
    columns,
    select: fields =>
      db
        .select(fields)
        .from(table)
        .where(
          and(
            eq(table.accountCode, sql.placeholder('accountCode')),
            isListed(table.id, sql.placeholder('ids')),
          ),
        ),
  })
  return async ({ accountCode, ids }: Ask): Promise<Row[]> => {
    const found = await find(client, { accountCode, ids: encodeIds(ids) })
    return found === null ? [] : found.id.map((_, index) => read(found, index))
  }
}

// Each pair comes back with its place among those asked for, and so goes to nobody but who asked for it.
function preparePairs<Row extends { readonly id: number }>({
  db,
  shared,
  table,
  columns,
  read,
}: FindByIds<Row>) {
  const accountCodes = sql`${sql.placeholder('accountCodes')}::text[]`
  const ids = sql`${sql.placeholder('ids')}::bigint[]`
  const find = prepareColumns<Row & { readonly place: number }>({
    columns: { ...columns, place: sql`asked.place` },
    select: fields =>
      db
        .select(fields)
        .from(sql`unnest(${accountCodes}, ${ids}) with ordinality as asked(account_code, id, place)`)
        .innerJoin(table, and(eq(table.accountCode, sql`asked.account_code`), eq(table.id, sql`asked.id`))),
  })
  return async (asks: readonly Ask[]): Promise<Row[][]> => {
    const askers = asks.flatMap(({ ids }, asker) => ids.map(() => asker))
    const found = await find(shared, {
      accountCodes: encodeTexts(asks.flatMap(({ accountCode, ids }) => ids.map(() => accountCode))),
      ids: encodeIds(asks.flatMap(ask => ask.ids)),
    })
    const answers = asks.map((): Row[] => [])
    found?.place.forEach((place, index) => {
      answers[askers[place - 1] ?? -1]?.push(read(found, index))
    })
    return answers
  }
}
