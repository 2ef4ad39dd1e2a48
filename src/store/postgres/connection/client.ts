import { hash } from 'node:crypto'
import type pg from 'pg'

export type Parameter = string | number | boolean | null | Buffer | Date

export interface Client {
  /**
   * Runs a statement and returns the values of each row in order. By default it is prepared under a name, because
   * PostgreSQL parses and plans others each time.
   */
  query(text: string, values?: readonly Parameter[], isNamed?: boolean): Promise<unknown[][]>
}

/** Sends a statement over a connection, and returns its result. */
export type Send = (statement: pg.QueryArrayConfig) => Promise<pg.QueryArrayResult>

export function createClient(send: Send): Client {
  return {
    async query(text, values = [], isNamed = true) {
      const named = isNamed ? { name: nameOf(text) } : {}
      return (await send({ ...named, text, values: [...values], rowMode: 'array' })).rows
    },
  }
}

// Names of prepared statements: a hash of the text, so that all gateways use the same name for a statement. A pooler
// that shares connections needs that.
const names = new Map<string, string>()

function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = hash('sha256', text).slice(0, 20)
    names.set(text, name)
  }
  return name
}
