import { randomUUID } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import type { Db } from 'pg-boss'
import { hooksOfFanned } from '../../figures/data.ts'
import type { Caller } from '../authenticate.ts'
import { writeChanges } from '../membership/write-changes.ts'

/** The input of a run after a save, frozen as the gateway freezes it. */
export interface SavedCaseJob {
  readonly payload: object
  readonly options: {
    readonly changed_fields: unknown
    readonly case: { readonly id: number; readonly case_type_code: string; readonly version: number }
  }
}

interface Queue {
  /** Sends equal jobs through the connection of a transaction. */
  readonly send: (job: SavedCaseJob, count: number, db: Db) => Promise<unknown>
}

// The driver gives 64-bit integers as text.
interface Row {
  readonly case_type_code: string
  readonly data: string
  readonly version: string
  readonly created_at: Date
  readonly updated_at: Date
}

const find = `
  select case_type_code, data, version, created_at, updated_at from cases
  where account_code = $1 and id = $2 for no key update`

const save = `
  with saved as (
    update cases set data = $3, data_bytes = octet_length($3), version = version + 1, updated_at = now()
    where account_code = $1 and id = $2
    returning id, case_type_code, data, version, created_at, updated_at
  ), head as (
    insert into counters (account_code, name, value) select $1, 'case event', 1 from saved
    on conflict (account_code, name) do update set value = counters.value + 1 returning value
  ), event as (
    insert into case_events (account_code, id, kind, case_id, case_type_code, version, changed_fields, changed_bytes,
      by_user_id, transaction_id)
    select $1, head.value, 'saved', saved.id, saved.case_type_code, saved.version, $4, octet_length($4), $5, $6
    from saved, head
  )
  select * from saved`

/** The save of a case with its event and its job, in one transaction; it resolves after the commit. */
export function createQueuedSaves(pool: Pool, { send }: Queue) {
  // The job comes before the event, whose counter of the account is locked until the commit.
  async function write(client: PoolClient, { accountCode, userId }: Caller, id: number, data: object) {
    const { rows: found } = await client.query<Row>({ name: 'find', text: find, values: [accountCode, id] })
    const [before] = found
    if (before === undefined) return null
    const changes = writeChanges(data, JSON.parse(before.data))
    const version = Number(before.version) + 1
    const ofCase = { id, case_type_code: before.case_type_code, version }
    const job = { payload: data, options: { changed_fields: JSON.parse(changes), case: ofCase } }
    const count = before.case_type_code === 'fanned' ? hooksOfFanned : 1
    await send(job, count, {
      executeSql: (text, values = []) => client.query({ name: `send ${count}`, text, values: [...values] }),
    })
    const values = [accountCode, id, JSON.stringify(data), changes, userId, randomUUID()]
    const { rows } = await client.query<Row>({ name: 'save', text: save, values })
    return rows[0] ?? null
  }

  return async function saveCase(caller: Caller, id: number, data: object) {
    const client = await pool.connect()
    try {
      await client.query('begin')
      const row = await write(client, caller, id, data)
      await client.query('commit')
      return row && toAnswer(row, id, data)
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
  }
}

function toAnswer(row: Row, id: number, data: object) {
  return {
    id,
    case_type_code: row.case_type_code,
    data,
    version: Number(row.version),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
