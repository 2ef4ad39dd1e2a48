import { hash } from 'node:crypto'
import type pg from 'pg'

export type Parameter = string | number | boolean | null | Buffer | Date

export interface Client {
  /** Runs a statement, prepared: others are parsed each time. Returns the values of each row in order. */
  query(text: string, values?: readonly Parameter[]): Promise<unknown[][]>
}

/** Sends a statement over a connection, and returns its result. */
export type Send = (statement: pg.QueryArrayConfig) => Promise<pg.QueryArrayResult>

export function createClient(send: Send): Client {
  return {
    async query(text, values = []) {
      return (await send({ name: nameOf(text), text, values: [...values], rowMode: 'array' })).rows
    },
  }
}

// A hash of the text: with a pooler that shares connections, all gateways use the same name for a statement.
const names = new Map<string, string>()

function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = hash('sha256', text).slice(0, 20)
    names.set(text, name)
  }
  return name
}
