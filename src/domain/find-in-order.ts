import type { RowStore } from './port.ts'

/** Returns the rows that exist, in the order of the ids, each once. */
export async function findInOrder<Row extends { readonly id: number }>(
  store: Pick<RowStore<Row>, 'findByIds'>,
  accountCode: string,
  ids: readonly number[],
): Promise<Row[]> {
  const distinct = [...new Set(ids)]
  if (distinct.length === 0) return []
  const rows = await store.findByIds(accountCode, distinct)
  // Rows from the cache are in that order already.
  if (rows.length === distinct.length && rows.every((row, index) => row.id === distinct[index])) return rows
  const byId = new Map(rows.map(row => [row.id, row]))
  return distinct.flatMap(id => byId.get(id) ?? [])
}
