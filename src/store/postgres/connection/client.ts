import { hash } from 'node:crypto'
import type pg from 'pg'

export type Row = Readonly<Record<string, unknown>>

export type Parameter = string | number | boolean | null | Buffer

/** Runs statements, prepared: what is not is parsed anew each time. */
export interface Client {
  /** The rows of a statement, their values by the names of the columns. */
  query(text: string, values?: readonly Parameter[]): Promise<Row[]>
  /** The same, each row an array of its values. */
  queryArrays(text: string, values?: readonly Parameter[]): Promise<unknown[][]>
}

/** Sends a statement over a connection, and gives its result. */
export type Send = <R extends pg.QueryResultRow>(statement: pg.QueryConfig) => Promise<pg.QueryResult<R>>

export function createClient(send: Send): Client {
  return {
    async query(text, values = []) {
      return (await send<Row>({ name: nameOf(text), text, values: [...values] })).rows
    },
    async queryArrays(text, values = []) {
      const statement = { name: nameOf(text), text, values: [...values], rowMode: 'array' }
      return (await send<unknown[]>(statement)).rows
    },
  }
}

// Of the text, so that behind a pooler which shares connections it means the same to every gateway.
const names = new Map<string, string>()

function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = hash('sha256', text).slice(0, 20)
    names.set(text, name)
  }
  return name
}
