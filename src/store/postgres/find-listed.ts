import { and, eq, sql } from 'drizzle-orm'
import type { Dialect, IdSelection, IdTable } from '../dialect.ts'
import type { RowOf } from '../tables/tables-of.ts'
import { aggregate, createReadRow, prepareColumns } from './column-rows.ts'
import { askTogether } from './connection/ask-together.ts'
import type { Client } from './connection/client.ts'
import { encodeIds, encodeTexts, isListed } from './id-list.ts'

interface FindListed<S extends IdSelection> extends Pick<Dialect, 'build'> {
  readonly clients: Clients
  readonly table: IdTable
  readonly selection: S
}

/** How the statements of a store reach the database. */
export interface Clients {
  /** In the turn of the caller's account, and in its transaction if there is one. */
  readonly client: Client
  /** For reads that are made together for several accounts: in no transaction, and in a turn of its own. */
  readonly shared: Client
}

interface Ask {
  readonly accountCode: string
  readonly ids: readonly number[]
}

// A longer list goes alone, in the turn of its account, so that nobody waits for the rows of another.
const maxIdsTogether = 20

/**
 * Finds an account's rows by their ids. Callers that ask for few ids in the same turn of the event loop, of whichever account,
 * share a statement: under load that is a tenth of the work, for the gateway and for PostgreSQL.
 */
export function createFindListed<S extends IdSelection>(parts: FindListed<S>) {
  const findList = prepareList(parts)
  const findPairs = preparePairs(parts)
  const findTogether = askTogether(async (asks: readonly Ask[]) => {
    const [first] = asks
    return first !== undefined && asks.length === 1 ? [await findList(first)] : findPairs(asks)
  })
  return (accountCode: string, ids: readonly number[]): Promise<RowOf<S>[]> =>
    ids.length > maxIdsTogether ? findList({ accountCode, ids }) : findTogether({ accountCode, ids })
}

function prepareList<S extends IdSelection>({ build, clients, table, selection }: FindListed<S>) {
  const isOfAccount = eq(table.accountCode, sql.placeholder('accountCode'))
  const query = build
    .select(aggregate(selection))
    .from(table)
    .where(and(isOfAccount, isListed(table.id, sql.placeholder('ids'))))
  const find = prepareColumns(query)
  const readRow = createReadRow(selection)
  return async ({ accountCode, ids }: Ask): Promise<RowOf<S>[]> => {
    const columns = await find(clients.client, { accountCode, ids: encodeIds(ids) })
    return (columns[0] ?? []).map((_, index) => readRow(columns, index))
  }
}

// Each row comes back with the place of its pair in the lists, so that it goes to the caller who asked for it.
function preparePairs<S extends IdSelection>({ build, clients, table, selection }: FindListed<S>) {
  const accountCodes = sql`${sql.placeholder('accountCodes')}::text[]`
  const ids = sql`${sql.placeholder('ids')}::bigint[]`
  const query = build
    .select({ ...aggregate(selection), place: sql`json_agg(asked.place)` })
    .from(sql`unnest(${accountCodes}, ${ids}) with ordinality as asked(account_code, id, place)`)
    .innerJoin(table, and(eq(table.accountCode, sql`asked.account_code`), eq(table.id, sql`asked.id`)))
  const find = prepareColumns(query)
  const readRow = createReadRow(selection)
  return async (asks: readonly Ask[]): Promise<RowOf<S>[][]> => {
    const askers = asks.flatMap(({ ids }, asker) => ids.map(() => asker))
    const columns = await find(clients.shared, {
      accountCodes: encodeTexts(asks.flatMap(({ accountCode, ids }) => ids.map(() => accountCode))),
      ids: encodeIds(asks.flatMap(ask => ask.ids)),
    })
    const answers = asks.map((): RowOf<S>[] => [])
    for (const [index, place] of (columns.at(-1) ?? []).entries()) {
      answers[askers[Number(place) - 1] ?? -1]?.push(readRow(columns, index))
    }
    return answers
  }
}
