import { type SQL, sql } from 'drizzle-orm'
import type { NewQueuedRun } from '../../../domain/queue/queue-store.ts'
import type { Waiting } from '../../../domain/queue/waiting-limits.ts'
import { storedRowBytes } from '../../../domain/store-limits.ts'
import { type Dialect, placeholders } from '../../dialect.ts'
import { all, first, type Work } from '../../work.ts'
import { raiseCounter } from '../counters.ts'
import { membershipBytes, rowBytes } from '../stored-bytes.ts'

/** The input that is shared by runs queued together. */
export interface SharedInput {
  readonly input: string
  readonly options: string
  readonly bytes: number
  readonly runs: readonly NewQueuedRun[]
}

/** Puts neighbours with the same input and options together. */
export function shareInputs(runs: readonly NewQueuedRun[]): SharedInput[] {
  const shared: (SharedInput & { runs: NewQueuedRun[] })[] = []
  for (const run of runs) {
    const { input, options } = run
    const last = shared.at(-1)
    if (last?.input === input && last.options === options) last.runs.push(run)
    else {
      const bytes = Buffer.byteLength(input) + Buffer.byteLength(options)
      shared.push({ input, options, bytes, runs: [run] })
    }
  }
  return shared
}

/** The stored bytes of these runs with their inputs. */
export function measureStored(shared: readonly SharedInput[]): number {
  const { waiting, waitingBytes } = measureWaiting(shared)
  return waitingBytes + (shared.length + waiting) * storedRowBytes
}

/** Returns the runs and bytes that these runs add to the queue of an account. */
export function measureWaiting(shared: readonly SharedInput[]): Waiting {
  const waiting = shared.reduce((sum, { runs }) => sum + runs.length, 0)
  return { waiting, waitingBytes: shared.reduce((sum, { bytes }) => sum + bytes, 0) }
}

export type QueuedInputs = ReturnType<typeof createQueuedInputs>

/** Changes of inputs that exist, while the queue of the account is locked by an earlier statement. */
export function createQueuedInputs(dialect: Dialect) {
  const inputs = dialect.list('given', { id: 'integer' })
  const statements = prepareStatements(dialect, inputs.rows)
  return {
    /**
     * Deletes the inputs that no run uses, and subtracts inputs that only dead runs use from the waiting bytes. Call it
     * after runs died or were deleted, with the ids of their inputs and the number of deleted rows. Returns the bytes
     * that the account stores; null without ids.
     */
    *release(accountCode: string, ids: readonly number[], goneRuns: number): Work<number | null> {
      if (ids.length === 0) return null
      const given = [...new Set(ids)].map(id => ({ id }))
      const row = yield* first(statements.release, { accountCode, goneRuns, ...inputs.encode(given) })
      return row?.stored ?? null
    },

    /** Counts inputs to the waiting bytes again, because some of their dead runs wait again. */
    wake: (accountCode: string, ids: readonly number[]) =>
      all(statements.wake, { accountCode, ...inputs.encode([...new Set(ids)].map(id => ({ id }))) }),
  }
}

function prepareStatements({ chain, typed, tables }: Dialect, given: SQL) {
  const { accountCode } = placeholders('accountCode')
  const { queuedInputs } = tables
  const goneRuns = typed(sql.placeholder('goneRuns'), 'integer')
  const areGiven = sql`account_code = ${accountCode} and id in (select id from ${given})`
  const hasRuns = (condition: SQL) => sql`
    case when exists (
      select 1 from queued_runs where queued_runs.account_code = ${accountCode}
        and queued_runs.id >= queued_inputs.id and queued_runs.id < queued_inputs.id + queued_inputs.runs ${condition}
    ) then 1 else 0 end`
  const areInputs = (condition: SQL) => sql`
    account_code = ${accountCode} and id in (select id from touched where ${condition})`
  const touched = sql`
    select id, bytes, waiting_bytes, ${hasRuns(sql``)} as is_used, ${hasRuns(sql`and state <> 'dead'`)} as is_awaited
    from queued_inputs where account_code = ${accountCode} and id in (select id from ${given})`
  const uncount = sql`
    update queue_accounts set waiting_bytes = waiting_bytes - (
        select coalesce(sum(waiting_bytes), 0) from touched where is_awaited = 0
      )
    where account_code = ${accountCode}`
  return {
    release: chain(
      {
        touched,
        account: uncount,
        stored: sql`
          ${raiseCounter(
            'stored byte',
            sql`- ${rowBytes} * ${goneRuns} - coalesce(sum(bytes + ${rowBytes}), 0)`,
            sql`from touched where is_used = 0`,
          )}
          returning value + ${membershipBytes} as value`,
        unused: sql`delete from queued_inputs where ${areInputs(sql`is_used = 0`)}`,
        resting: sql`
          update queued_inputs set waiting_bytes = 0 where ${areInputs(sql`is_used = 1 and is_awaited = 0`)}`,
      },
      'stored',
      { stored: tables.counters.value },
    ),
    wake: chain(
      {
        account: sql`
          update queue_accounts set waiting_bytes = waiting_bytes + (
              select coalesce(sum(bytes - waiting_bytes), 0) from queued_inputs where ${areGiven}
            )
          where account_code = ${accountCode}`,
        input: sql`update queued_inputs set waiting_bytes = bytes where ${areGiven} returning id`,
      },
      'input',
      { id: queuedInputs.id },
    ),
  }
}
