import { rowBytes } from '../../../src/domain/idempotency/idempotency.ts'
import { readRows } from '../databases/read-rows.ts'

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
export async function readKeyUsage(url: string, accountCode: string): Promise<KeyUsage> {
  const text = sql(accountCode, column => `octet_length(${column})`)
  const [found] = await readRows<Record<keyof KeyUsage, unknown>>(url, text)
  return { counted: Number(found?.counted), ofKeys: Number(found?.ofKeys), ofRows: Number(found?.ofRows) }
}
