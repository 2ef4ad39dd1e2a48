import SqliteDatabase from 'better-sqlite3'
import { rowBytes } from '../../src/domain/idempotency/idempotency.ts'
import { askPostgres } from './ask-postgres.ts'
import type { Harness } from './each-store.ts'

export interface KeyUsage {
  /** As the account's one row says. */
  readonly counted: number
  /** As the rows of its keys say. */
  readonly ofKeys: number
  /** As the rows of its keys and steps are. */
  readonly ofRows: number
}

// The literals keep to what both databases know.
const sql = (accountCode: string, bytesOf: (column: string) => string) => `
  select
    coalesce((select held_bytes from idempotency_usage where account_code = '${accountCode}'), 0) as counted,
    coalesce((select sum(held_bytes) from idempotency_keys where account_code = '${accountCode}'), 0) as "ofKeys",
    coalesce((select sum(${rowBytes} + coalesce(${bytesOf('answer')}, 0)) from idempotency_keys
      where account_code = '${accountCode}'), 0)
    + coalesce((select sum(${rowBytes} + ${bytesOf('result')}) from idempotency_steps
      where account_code = '${accountCode}'), 0) as "ofRows"`

/** The bytes of an account's keys, counted in three ways that agree while nothing is pending. */
export async function readKeyUsage(harness: Harness, url: string, accountCode: string): Promise<KeyUsage> {
  const text = sql(accountCode, column => `octet_length(${column})`)
  const found = harness.engine === 'SQLite' ? askSqlite(url, text) : (await askPostgres(url, text))[0]
  const { counted, ofKeys, ofRows } = found as Readonly<Record<keyof KeyUsage, unknown>>
  return { counted: Number(counted), ofKeys: Number(ofKeys), ofRows: Number(ofRows) }
}

function askSqlite(url: string, text: string): unknown {
  const client = new SqliteDatabase(url.slice('sqlite:'.length), { readonly: true })
  const row = client.prepare(text).get()
  client.close()
  return row
}
