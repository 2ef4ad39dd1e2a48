import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { DeadRunLimits, QueueStore } from '../../../domain/queue/queue-store.ts'
import type { Database } from '../../database.ts'
import { type Dialect, placeholders, type Statement, type Values } from '../../dialect.ts'
import { numberOf } from '../../tables/tables-of.ts'
import { all, type Work } from '../../work.ts'
import type { QueueAccounts } from './queue-accounts.ts'
import type { QueuedInputs } from './queued-inputs.ts'

// SQLite takes 10 us to read a row, and reads each page of a row that it deletes. Both block the event loop.
const pageSize = 200
const maxDeletedBytes = 4 * 2 ** 20

type ForgetStatement = Statement<{ readonly inputId: number }>

interface DeadRow {
  readonly id: number
  readonly inputId: number
  readonly bytes: number
  readonly isOld: number
}

/** Deletes dead runs of one account after the other, while its queue is locked: none of them is retried meanwhile. */
export function createForgetDead(
  database: Database,
  accounts: QueueAccounts,
  inputs: QueuedInputs,
): Pick<QueueStore, 'forgetDeadBeyond' | 'forgetOldDead'> {
  const { read, write, list } = database
  const gone = list('gone', { id: 'integer' })
  const statements = prepareStatements(database, gone.rows)
  const hasChanged = (count: number) => count > 0

  function* forget(accountCode: string, statement: ForgetStatement, values: Values): Work<number> {
    yield* accounts.lock(accountCode)
    const rows = yield* all(statement, { accountCode, ...values })
    yield* inputs.release(
      accountCode,
      rows.map(({ inputId }) => inputId),
      rows.length,
    )
    return rows.length
  }

  async function forgetOld(accountCode: string, { ageMs, maxBytes }: DeadRunLimits): Promise<void> {
    let before = Number.MAX_SAFE_INTEGER
    let bytes = 0
    for (;;) {
      const rows = await read(statements.findPage, { accountCode, before, ageMs: -ageMs, limit: pageSize })
      const old = countSharedOnce(rows).filter(row => {
        bytes += row.bytes
        return row.isOld === 1 || bytes > maxBytes
      })
      for (const some of splitByBytes(old)) {
        await write(accountCode, () => forget(accountCode, statements.forget, gone.encode(some)), {
          hasChanged,
        })
        await nextTurn()
      }
      if (rows.length < pageSize) return
      before = rows.at(-1)?.id ?? 0
      await nextTurn()
    }
  }

  return {
    async forgetDeadBeyond(maxRuns, limit) {
      for (const { accountCode } of await read(statements.findAccounts, {})) {
        const forgetSome = () => forget(accountCode, statements.forgetBeyond, { maxRuns, limit })
        const count = await write(accountCode, forgetSome, { hasChanged })
        if (count > 0) return count
      }
      return 0
    },
    async forgetOldDead(limits) {
      for (const { accountCode } of await read(statements.findAccounts, {}))
        await forgetOld(accountCode, limits)
    },
  }
}

/** Neighbours that share an input: the first one counts it. */
function countSharedOnce(rows: readonly DeadRow[]): DeadRow[] {
  return rows.map((row, index) => (row.inputId === rows[index - 1]?.inputId ? { ...row, bytes: 0 } : row))
}

/** Each part has up to `maxDeletedBytes`, or a single run. */
function splitByBytes(rows: readonly DeadRow[]): DeadRow[][] {
  const parts: DeadRow[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const row of rows) {
    bytes += row.bytes
    if (bytes > maxDeletedBytes) {
      parts.push([])
      bytes = row.bytes
    }
    parts.at(-1)?.push(row)
  }
  return parts
}

function prepareStatements({ prepare, nowPlus, tables }: Dialect, gone: ReturnType<typeof sql>) {
  const given = placeholders('accountCode', 'ageMs', 'maxRuns', 'before', 'limit')
  const { id, inputId } = tables.queuedRuns
  const areDead = sql`account_code = ${given.accountCode} and state = 'dead'`
  const bytes = sql`coalesce((
    select inputs.bytes from queued_inputs as inputs
    where inputs.account_code = queued_runs.account_code and inputs.id = queued_runs.input_id
  ), 0)`
  const isOld = sql`case when due_at < ${nowPlus(given.ageMs)} then 1 else 0 end`
  return {
    findAccounts: prepare(
      sql`
        select account_code from queue_accounts where exists (
          select 1 from queued_runs where queued_runs.account_code = queue_accounts.account_code and state = 'dead'
        )`,
      { accountCode: tables.queueAccounts.accountCode },
    ),
    findPage: prepare(
      sql`
        select id, input_id, ${bytes}, ${isOld} from queued_runs where ${areDead} and id < ${given.before}
        order by id desc limit ${given.limit}`,
      { id, inputId, bytes: numberOf(bytes), isOld: numberOf(isOld) },
    ),
    forget: prepare(
      sql`delete from queued_runs where ${areDead} and id in (select id from ${gone}) returning input_id`,
      { inputId },
    ),
    // Along an index.
    forgetBeyond: prepare(
      sql`
        delete from queued_runs where ${areDead} and id in (
          select id from queued_runs where ${areDead} and id <= (
            select id from queued_runs where ${areDead} order by id desc limit 1 offset ${given.maxRuns}
          ) order by id limit ${given.limit}
        ) returning input_id`,
      { inputId },
    ),
  }
}
