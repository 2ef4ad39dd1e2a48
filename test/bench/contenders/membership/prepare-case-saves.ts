import { randomUUID } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import type { Caller } from '../authenticate.ts'
import { writeChanges } from './write-changes.ts'

interface Row {
  readonly id: number
  readonly caseTypeCode: string
  readonly data: string
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
}

const columns = `id, case_type_code AS caseTypeCode, data, version, created_at AS createdAt, updated_at AS updatedAt`

/** The gateway's save of a case without hooks, statement by statement, with its event, in one transaction each. */
export function prepareCaseSaves(client: Database) {
  const find = client.prepare<[string, number], Row>(
    `SELECT ${columns} FROM cases WHERE account_code = ? AND id = ?`,
  )
  const findType = client.prepare<[string, string], { revision: number }>(
    'SELECT revision FROM case_types WHERE account_code = ? AND code = ?',
  )
  const update = client.prepare<[string, number, string, number, number], Row>(
    `UPDATE cases SET data = ?, data_bytes = ?, version = version + 1,
       updated_at = cast(unixepoch('subsec') * 1000 as integer)
     WHERE account_code = ? AND id = ? AND version = ? RETURNING ${columns}`,
  )
  const nextNumber = client.prepare<[string], { value: number }>(
    `INSERT INTO counters (account_code, name, value) VALUES (?, 'case event', 1)
     ON CONFLICT (account_code, name) DO UPDATE SET value = value + 1 RETURNING value`,
  )
  const event = client.prepare(
    `INSERT INTO case_events (account_code, id, kind, case_id, case_type_code, version, changed_fields, changed_bytes,
       by_user_id, by_email, transaction_id)
     VALUES (?, ?, 'saved', ?, ?, ?, ?, ?, ?, NULL, ?)`,
  )

  const write = client.transaction((caller: Caller, row: Row, text: string, changedFields: string) => {
    const { accountCode, userId } = caller
    if (findType.get(accountCode, row.caseTypeCode) === undefined) return null
    const saved = update.get(text, Buffer.byteLength(text), accountCode, row.id, row.version)
    if (saved === undefined) return null
    const id = nextNumber.get(accountCode)?.value ?? 0
    const of = [saved.id, saved.caseTypeCode, saved.version]
    const changed = [changedFields, Buffer.byteLength(changedFields)]
    event.run(accountCode, id, ...of, ...changed, userId, randomUUID())
    return saved
  })

  return function saveCase(caller: Caller, id: number, data: object) {
    const row = find.get(caller.accountCode, id)
    if (row === undefined) return null
    const saved = write.immediate(caller, row, JSON.stringify(data), writeChanges(data, JSON.parse(row.data)))
    if (saved === null) return null
    return {
      id,
      case_type_code: saved.caseTypeCode,
      data,
      version: saved.version,
      created_at: new Date(saved.createdAt).toISOString(),
      updated_at: new Date(saved.updatedAt).toISOString(),
    }
  }
}
