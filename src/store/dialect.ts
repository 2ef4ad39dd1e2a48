import { type Column, type Placeholder, type SQL, sql, type Table } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { maxRowsOfPages, type Page } from '../domain/port.ts'
import type { Client } from './postgres/connection/client.ts'
import type { Descriptions } from './tables/descriptions.ts'
import type { RowOf, Selection, StoreColumn, TablesOf } from './tables/tables-of.ts'

export type Tables = TablesOf<Descriptions>

/** Values of a statement by the names of its placeholders. */
export type Values = Readonly<Record<string, unknown>>

/** A prepared statement. SQLite answers at once; PostgreSQL over its `client`. */
export interface Statement<Row = never> {
  run(values: Values, client?: Client): Row[] | Promise<Row[]>
}

export type IdTable = SQLiteTable & {
  readonly accountCode: StoreColumn<string>
  readonly id: StoreColumn<number>
}

/**
 * What SQLite and PostgreSQL write differently. Statements are built once, with the builder and the tables of a
 * dialect.
 */
export interface Dialect {
  readonly tables: Tables
  /** False for SQLite: one gateway has the file, and a transaction has the write lock from its start. */
  readonly isShared: boolean
  /**
   * The rows have the names and types of `selection`, in its order; a statement without a selection returns no rows.
   */
  prepare(query: SQL): Statement
  prepare<S extends Selection>(query: SQL, selection: S): Statement<RowOf<S>>
  /** For a statement that returns many rows. */
  prepareMany<S extends Selection>(query: SQL, selection: S, planning?: Planning): Statement<RowOf<S>>
  /**
   * Prepares several changes as one statement, by their names. A part may select from the name of an earlier part:
   * those are the rows that it returned. A part that selects from a part or list without rows must change nothing. The
   * statement returns the rows of the part `result`, which must return the columns of `selection` in its order.
   *
   * PostgreSQL gets one statement (`with a as (insert …)`): its own transaction, in one round trip. All parts see the
   * rows as they were before it. It runs `result` and the parts that it needs first, then the others from the last to
   * the first. SQLite runs the parts in the order in which they are written.
   */
  chain<S extends Selection>(parts: Chain, result: string, selection: S): Statement<RowOf<S>>
  /** A condition that is true, for a part of a chain: PostgreSQL runs the part after this earlier one. */
  after(part: string): SQL
  /**
   * Rows that are sent with a statement, for its `from`. Each column is one of a table, or has a type. Their names are
   * in snake case; `place` counts the rows from 1.
   */
  list<C extends ListColumns>(name: string, columns: C): List<C>
  /** Locks the rows of a `select` until the commit, in their order; `skip locked` leaves out those that are locked. */
  readonly forUpdate: SQL
  readonly skipLocked: SQL
  /** Keeps others from changing the rows of a `select` until the commit. */
  readonly forShare: SQL
  /** Follows a text in `order by`: compares by bytes. By default PostgreSQL sorts texts as a language does. */
  readonly byBytes: SQL
  /** The time at which the statement runs, of the database's own clock. */
  readonly now: SQL
  /** The same, plus some milliseconds; a placeholder may be given a negative number. */
  nowPlus(ms: Placeholder | number): SQL
  /** A placeholder with its type, for where PostgreSQL cannot infer it. */
  typed(placeholder: Placeholder, type: 'text' | 'integer' | 'boolean' | 'bytes'): SQL
  /** The columns of a selection as the text of a JSON object, by the names that they have there. */
  jsonOf(selection: Selection): SQL
  /** True if the column is in a list that is sent as one value, by `encodeList`. */
  isListed(column: Column, list: Placeholder): SQL
  encodeList(ids: readonly number[]): string
  /** Returns one row with the next id of a token. These ids are unique in the store. */
  readonly nextTokenId: Statement<{ readonly id: number }>
  /** Finds an account's rows by their ids, in one statement however many there are. */
  findByIds<S extends IdSelection, Row extends HasId = RowOf<S> & HasId>(
    table: IdTable,
    selection: S,
    reading?: Reading<S, Row>,
  ): FindByIds<Row>
  /**
   * Returns a read of rows of this table, with the same results. SQLite keeps them until a row of the table changes:
   * few saves change their case type.
   */
  untilChange<T>(table: Table, read: ReadByName<T>): ReadByName<T>
  /**
   * Finds the pages of several parents from one side, in ascending id. It stops at the limit, along the index; a window
   * function would number all rows of a parent.
   */
  pagesOfParents<P extends string, S extends IdSelection>(paging: Paging<P, S>, side: 'asc' | 'desc'): SQL
}

/**
 * When PostgreSQL plans a statement. By default it keeps one plan for all values after some runs. Planned each time, a
 * run gets the best plan for its values, and takes up to a millisecond more.
 */
export type Planning = 'once' | 'each time'

/** A read of an account by a name, such as a code. */
export type ReadByName<T> = (accountCode: string, name: string) => Promise<T>

export type Chain = Readonly<Record<string, SQL>>

/** A column of a table, whose values are encoded as there, or the type of one. */
export type ListColumns = Readonly<Record<string, StoreColumn | 'integer' | 'text'>>

export interface List<C extends ListColumns> {
  readonly rows: SQL
  /** Returns the condition that the list, which has one column, includes the value of `column`. */
  includes(column: SQL): SQL
  /** Returns the statement's values for these rows. */
  encode(rows: readonly ListRow<C>[]): Values
}

export type ListRow<C extends ListColumns> = {
  readonly [Name in keyof C]: C[Name] extends StoreColumn<infer Value> ? Value : number | string | null
}

/** A selection with the id, for rows that are found by it. */
export type IdSelection = Selection & { readonly id: StoreColumn<number> }

export interface Paging<Parent extends string, S extends IdSelection> {
  readonly table: IdTable & Readonly<Record<Parent, StoreColumn<number | null>>>
  /** The column that holds the id of the parent. */
  readonly parent: Parent
  readonly selection: S
}

export interface HasId {
  readonly id: number
}

export interface Reading<S extends Selection, Row> {
  /** Turns a row into what is found. SQLite does so once for a row that it caches, so nobody may change the result. */
  readonly decode?: (row: RowOf<S>) => Row
  /** Maximum number of rows that SQLite caches. */
  readonly maxCachedRows?: number
  /** What PostgreSQL selects instead where several callers share a statement, such as short texts alone. */
  readonly shared?: Partial<S>
}

/** Placeholders that a statement of `pagesOfParents` takes. */
export const pageValues = placeholders('accountCode', 'parentIds', 'after', 'before', 'limit')

/** Returns the values of a page for the placeholders `after`, `before` and `limit`. */
export function boundsOf({ after, before, limit }: Page) {
  return { after: after ?? 0, before: before ?? 2 ** 53, limit }
}

/** Maximum number of rows of `pagesOfParents`, for all parents together. */
export const maxRows = sql.raw(String(maxRowsOfPages))

export interface FindByIds<Row> {
  /** Rows in any order. */
  readonly findByIds: (accountCode: string, ids: readonly number[]) => Promise<Row[]>
  /** Returns a cached row. `undefined` means "not cached", not "does not exist". */
  readonly findCached?: (accountCode: string, id: number) => Row | undefined
  /** Drops the row from the cache. Call it inside the transaction that changes the row. */
  readonly forget: (accountCode: string, id: number) => void
  /** Caches a row as a transaction has left it. Call it when the commit has resolved, before anything else can run. */
  readonly remember?: (accountCode: string, row: Row) => void
}

/** The names and columns of a selection by turns, for a function of SQL that makes a JSON object. */
export function listMembers(selection: Selection): SQL {
  return sql.raw(
    Object.entries(selection)
      .map(([key, { name }]) => `'${key}', "${name}"`)
      .join(', '),
  )
}

/** Placeholders by their names. */
export function placeholders<Name extends string>(...names: readonly Name[]): Record<Name, Placeholder> {
  const entries = names.map((name): [string, Placeholder] => [name, sql.placeholder(name)])
  return Object.fromEntries(entries) as Record<Name, Placeholder>
}

/** The columns of a selection by their names alone, or in the rows `from`: `"id"` or `row."id"`. */
export function namesOf(selection: Selection, from: string | null = null): SQL {
  const names = Object.values(selection).map(({ name }) => `${from === null ? '' : `${from}.`}"${name}"`)
  return sql.raw(names.join(', '))
}

/** The columns of a selection, for SQL. */
export function columnsOf(selection: Selection): SQL {
  return sql.join(Object.values(selection), sql`, `)
}

/**
 * Returns a function that prepares on its first call. To write and prepare every statement of the store would take a
 * twentieth of all that a start computes.
 */
export function onFirstUse<Prepared>(prepare: () => Prepared): () => Prepared {
  let prepared: Prepared | null = null
  return () => {
    prepared ??= prepare()
    return prepared
  }
}
