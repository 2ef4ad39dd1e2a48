import type { Page } from '../domain/port.ts'
import type { Database } from './database.ts'
import { boundsOf, type IdSelection, type Paging } from './dialect.ts'
import type { RowOf } from './tables/tables-of.ts'

/** Rows of different parents come mixed, in ascending id. */
type PageByParent<Row> = (accountCode: string, parentIds: readonly number[], page: Page) => Promise<Row[]>

/** For each parent its page, in one statement that reads no more rows than it answers. */
export function createPageByParent<P extends string, S extends IdSelection>(
  { prepareMany, pagesOfParents, read, encodeList }: Database,
  paging: Paging<P, S>,
): PageByParent<RowOf<S>> {
  const first = prepareMany(pagesOfParents(paging, 'asc'), paging.selection)
  const last = prepareMany(pagesOfParents(paging, 'desc'), paging.selection)
  return (accountCode, parentIds, page) =>
    read(page.fromEnd ? last : first, {
      accountCode,
      parentIds: encodeList(parentIds),
      ...boundsOf(page),
    })
}
