import { sql } from 'drizzle-orm'
import { type FindByIds, type IdSelection, type IdTable, placeholders } from '../dialect.ts'
import type { RowOf } from '../tables/tables-of.ts'
import { aggregate, createReadRows, prepareColumns } from './column-rows.ts'
import { askTogether } from './connection/ask-together.ts'
import type { Bound } from './connection/bound.ts'
import type { Client } from './connection/client.ts'
import { encodeIds, isListed, list } from './list.ts'

/** The clients of a store's statements. */
export interface Clients {
  /** In the turn of the caller's account, and in its transaction if there is one. */
  readonly client: Client
  /** For reads of several accounts at once: in no transaction, and in their own turn. */
  readonly shared: Client
}

interface FindListed<S extends IdSelection> {
  readonly clients: Clients
  readonly bound: Bound
  readonly table: IdTable
  readonly selection: S
}

interface Ask {
  readonly accountCode: string
  readonly ids: readonly number[]
}

// A longer list has its own statement, so that nobody waits for its rows.
const maxIdsTogether = 20

/**
 * Finds an account's rows by their ids. Callers of any account that ask for few ids in the same turn of the event loop
 * share a statement: under load that is a tenth of the work, for the gateway and for PostgreSQL.
 */
export function createFindListed<S extends IdSelection>(
  parts: FindListed<S>,
): FindByIds<RowOf<S>>['findByIds'] {
  const findList = prepareList(parts)
  const findPairs = preparePairs(parts)
  const findTogether = askTogether(async (asks: readonly Ask[]) => {
    const [first] = asks
    return first !== undefined && asks.length === 1 ? [await findList(first)] : findPairs(asks)
  })
  return (accountCode, ids) => {
    const find = ids.length > maxIdsTogether ? findList : findTogether
    return parts.bound(accountCode, () => find({ accountCode, ids }))
  }
}

function prepareList<S extends IdSelection>({ clients, table, selection }: FindListed<S>) {
  const { accountCode, ids } = placeholders('accountCode', 'ids')
  const find = prepareColumns(sql`
    select ${aggregate(Object.values(selection))} from ${table}
    where ${table.accountCode} = ${accountCode} and ${isListed(table.id, ids)}`)
  const readRows = createReadRows(selection)
  return async ({ accountCode, ids }: Ask): Promise<RowOf<S>[]> =>
    readRows(await find(clients.client, { accountCode, ids: encodeIds(ids) }))
}

// Each row comes with the place of its pair in the lists, and so reaches the caller who asked for it.
function preparePairs<S extends IdSelection>({ clients, table, selection }: FindListed<S>) {
  const asked = list('asked', { accountCode: 'text', id: 'integer' })
  const find = prepareColumns(sql`
    select ${aggregate([...Object.values(selection), sql`asked.place`])} from ${asked.rows}
    join ${table} on ${table.accountCode} = asked.account_code and ${table.id} = asked.id`)
  const readRows = createReadRows(selection)
  return async (asks: readonly Ask[]): Promise<RowOf<S>[][]> => {
    const askers = asks.flatMap(({ ids }, asker) => ids.map(() => asker))
    const pairs = asks.flatMap(({ accountCode, ids }) => ids.map(id => ({ accountCode, id })))
    const columns = await find(clients.shared, asked.encode(pairs))
    const answers = asks.map((): RowOf<S>[] => [])
    const places = columns.at(-1) ?? []
    for (const [index, row] of readRows(columns).entries()) {
      answers[askers[Number(places[index]) - 1] ?? -1]?.push(row)
    }
    return answers
  }
}
