import type { Page } from '../../domain/port.ts'
import { builder } from '../builder.ts'
import type { Cursors } from './cursor.ts'
import { pageSize } from './page-size.ts'
import { idOf, type PageArguments, resolvePage } from './resolve-page.ts'

type ListArguments = Pick<PageArguments, 'first' | 'after'>

export const listArguments = builder.args(t => ({
  first: t.int({ description: `Page size: ${pageSize.byDefault} by default, at most ${pageSize.max}.` }),
  after: t.string({ description: 'Only items after this cursor. Default: from the first item on.' }),
}))

interface List<Row> {
  readonly cursors: Cursors
  /** Up to `limit` rows that follow this position; null: from the first one. */
  readonly read: (from: number | null, limit: number) => Promise<readonly Row[]>
}

/** A Relay connection over a list that is read in one direction. Otherwise like `resolvePage`. */
export function resolveList<Row extends { readonly id: number }>(
  given: ListArguments,
  { cursors, read }: List<Row>,
) {
  return resolvePage(given, { cursors, positionOf: idOf, read: ({ after, limit }) => read(after, limit) })
}

interface NewestFirst<Row> extends Pick<List<Row>, 'cursors'> {
  /** Returns the rows of a page in ascending id. */
  readonly load: (page: Page) => Promise<readonly Row[]>
}

/** Like `resolveList`, for a list with the newest rows first. */
export function resolveNewest<Row extends { readonly id: number }>(
  given: ListArguments,
  { cursors, load }: NewestFirst<Row>,
) {
  const read = async (from: number | null, limit: number) =>
    (await load(newestPage(from, limit))).toReversed()
  return resolveList(given, { cursors, read })
}

/** The page of the newest rows before this position; null: the newest of all. */
export function newestPage(from: number | null, limit: number) {
  return { after: null, before: from, limit, fromEnd: true } as const
}
