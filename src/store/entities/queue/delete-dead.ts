import { setImmediate as nextTurn } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import type { QueueStore } from '../../../domain/queue/queue-store.ts'
import type { Database } from '../../database.ts'
import { type Dialect, placeholders, type Statement, type Values } from '../../dialect.ts'
import { all, type Work } from '../../work.ts'
import type { QueueAccounts } from './queue-accounts.ts'
import type { QueuedInputs } from './queued-inputs.ts'

/** Deletes dead runs of one account after the other, while its queue is locked: none of them is retried meanwhile. */
export function createDeleteDead(
  database: Database,
  accounts: QueueAccounts,
  inputs: QueuedInputs,
): Pick<QueueStore, 'deleteDeadBeyond' | 'deleteExpiredDead'> {
  const { read, write } = database
  const statements = prepareStatements(database)
  const hasChanged = (count: number) => count > 0

  function* remove(accountCode: string, statement: DeleteStatement, values: Values): Work<number> {
    yield* accounts.lock(accountCode)
    const rows = yield* all(statement, { accountCode, ...values })
    yield* inputs.release(
      accountCode,
      rows.map(({ inputId }) => inputId),
      rows.length,
    )
    return rows.length
  }

  // Other work goes on between the transactions.
  async function removeAll(
    accountCode: string,
    statement: DeleteStatement,
    { values, limit, signal }: Removal,
  ) {
    const removeSome = () => remove(accountCode, statement, { ...values, limit })
    while (!signal.aborted && (await write(accountCode, removeSome, { hasChanged })) === limit)
      await nextTurn()
  }

  return {
    async deleteDeadBeyond(maxRuns, limit, signal) {
      for (const { accountCode } of await read(statements.findBeyond, { maxRuns }))
        await removeAll(accountCode, statements.deleteBeyond, { values: { maxRuns }, limit, signal })
    },
    async deleteExpiredDead(ageMs, limit, signal) {
      for (const { accountCode } of await read(statements.findAccounts, {})) {
        // SQLite reads all dead runs of the account, so other work goes on before those of the next one.
        await nextTurn()
        if (signal.aborted) return
        const values = { ageMs: -ageMs }
        const [expired] = await read(statements.findExpired, { accountCode, ...values })
        if (expired !== undefined)
          await removeAll(accountCode, statements.deleteExpired, { values, limit, signal })
      }
    },
  }
}

interface Removal {
  readonly values: Values
  /** Maximum number of runs of one transaction. */
  readonly limit: number
  readonly signal: AbortSignal
}

type DeleteStatement = Statement<{ readonly inputId: number }>

// All of them use the index of states.
function prepareStatements({ prepare, nowPlus, tables }: Dialect) {
  const given = placeholders('accountCode', 'ageMs', 'maxRuns', 'limit')
  const { inputId } = tables.queuedRuns
  const areDead = sql`account_code = ${given.accountCode} and state = 'dead'`
  const deleteWhere = (condition: SQL) =>
    prepare(
      sql`
        delete from queued_runs where ${areDead} and id in (
          select id from queued_runs where ${areDead} and ${condition} order by id limit ${given.limit}
        ) returning input_id`,
      { inputId },
    )
  const findAccounts = (condition: SQL) =>
    prepare(
      sql`
        select account_code from queue_accounts where exists (
          select 1 from queued_runs
          where queued_runs.account_code = queue_accounts.account_code and state = 'dead' ${condition}
        )`,
      { accountCode: tables.queueAccounts.accountCode },
    )
  const areExpired = sql`due_at < ${nowPlus(given.ageMs)}`
  return {
    findAccounts: findAccounts(sql``),
    // The accounts for which a deletion has something to do: most have few dead runs, and locking each takes long.
    findBeyond: findAccounts(sql`order by id limit 1 offset ${given.maxRuns}`),
    findExpired: prepare(sql`select input_id from queued_runs where ${areDead} and ${areExpired} limit 1`, {
      inputId,
    }),
    deleteBeyond: deleteWhere(sql`id <= (
      select id from queued_runs where ${areDead} order by id desc limit 1 offset ${given.maxRuns}
    )`),
    deleteExpired: deleteWhere(areExpired),
  }
}
