import { type SQL, sql } from 'drizzle-orm'
import type { NewQueuedRun } from '../../../domain/queue/queue-store.ts'
import { cannotQueue, findWaitingRefusal, maxWaiting } from '../../../domain/queue/waiting-limits.ts'
import type { StoreLimits } from '../../../domain/store-limits.ts'
import { select } from '../../columns.ts'
import { type Dialect, placeholders, type Values } from '../../dialect.ts'
import { toColumnName } from '../../tables/describe-table.ts'
import { first, Refusal, refuse, unread, type Work } from '../../work.ts'
import type { StoredBytesCounter } from '../stored-bytes.ts'
import type { QueueAccounts } from './queue-accounts.ts'
import { measureStored, measureWaiting, type SharedInput } from './queued-inputs.ts'

/**
 * Queues runs in the transaction that causes them, and returns their ids. It locks the queue of the account until the
 * commit, so it comes after the changes of the case and its event, and before kept runs. Returns a refusal,
 * `OVERLOADED`, where the account would have more waiting runs, or more bytes of them, than it may. On SQLite it has
 * written nothing then.
 * Pass `hasQueued` to `database.change`, which wakes the gateways after the commit. `taken` is the row of
 * `buildTakeIds` if an earlier statement took the ids, which counts their stored bytes too.
 */
export type Enqueue = (
  accountCode: string,
  shared: readonly SharedInput[],
  taken?: { readonly row: TakenIds },
) => Work<readonly number[] | Refusal>

/** The ids of queued runs that a transaction took; undefined if the queue is full. */
export type TakenIds = { readonly lastId: number } | undefined

interface Dependencies {
  readonly dialect: Dialect
  readonly accounts: QueueAccounts
  readonly stored: StoredBytesCounter
  readonly limits: StoreLimits
}

export function createEnqueue({ dialect, accounts, stored, limits: { queueBytes } }: Dependencies): Enqueue {
  const { runRows, take, insert } = prepareStatements(dialect)

  function* takeIds(accountCode: string, shared: readonly SharedInput[]): Work<TakenIds | Refusal> {
    const bytes = measureStored(shared)
    // SQLite undoes nothing, so it looks before the first write; its lock makes the look exact.
    const full = dialect.isShared ? null : yield* stored.refuse(accountCode, bytes)
    if (full !== null) return full
    const row = yield* first(take, { accountCode, ...toTakeValues(shared, queueBytes) })
    return row && ((yield* stored.add(accountCode, bytes)) ?? row)
  }

  return function* enqueue(accountCode, shared, taken) {
    if (shared.length === 0) return []
    const row = taken === undefined ? yield* takeIds(accountCode, shared) : taken.row
    if (row instanceof Refusal) return row
    if (row === undefined) {
      const now = (yield* accounts.lock(accountCode)) ?? { waiting: 0, waitingBytes: 0 }
      const refusal = findWaitingRefusal(now, measureWaiting(shared), queueBytes)
      return refuse(cannotQueue(refusal ?? { kind: 'too many runs' }))
    }
    const count = measureWaiting(shared).waiting
    const firstId = row.lastId - count + 1
    let inputId = firstId
    for (const { runs, ...input } of shared) {
      const rows = runRows.encode(toRows(runs, inputId))
      yield* unread(insert, { accountCode, inputId, runs: runs.length, ...input, ...rows })
      inputId += runs.length
    }
    return Array.from({ length: count }, (_, index) => firstId + index)
  }
}

/** The rows of the runs of one input. They have consecutive ids, from that of the input. */
function toRows(runs: readonly NewQueuedRun[], inputId: number) {
  return runs.map(({ input: _, options: __, ...run }, index) => ({
    ...run,
    id: inputId + index,
    inputId,
    causedBy: JSON.stringify(run.causedBy),
    lane: laneOf(run),
    attempt: 1,
  }))
}

/** Runs of one hook on one case go in order. Null for a run that waits for no other; only hooks run for a case. */
export function laneOf({ triggerId, caseId }: Pick<NewQueuedRun, 'triggerId' | 'caseId'>): string | null {
  return caseId === null ? null : `${triggerId}/${caseId}`
}

/** The values of `buildTakeIds`, without the account. */
export function toTakeValues(shared: readonly SharedInput[], maxWaitingBytes: number): Values {
  const { waiting: count, waitingBytes } = measureWaiting(shared)
  return { count, waitingBytes, maxWaiting, maxWaitingBytes }
}

/**
 * Takes `count` ids for runs that wait, whose inputs have `waitingBytes`, and locks the queue of the account until the
 * commit. No row means that the account would have too many, or that `from`, such as `from part`, has none.
 */
export function buildTakeIds({ typed, now }: Dialect, from = sql``): SQL {
  const accountCode = typed(sql.placeholder('accountCode'), 'text')
  const integer = (name: string) => typed(sql.placeholder(name), 'integer')
  const count = integer('count')
  const bytes = integer('waitingBytes')
  const [maxCount, maxBytes] = [integer('maxWaiting'), integer('maxWaitingBytes')]
  return sql`
    insert into queue_accounts (account_code, last_id, waiting, waiting_bytes, due_at)
    select ${accountCode}, ${count}, ${count}, ${bytes}, ${now} ${from}
    where ${count} <= ${maxCount} and ${bytes} <= ${maxBytes}
    on conflict (account_code) do update set last_id = queue_accounts.last_id + ${count},
      waiting = queue_accounts.waiting + ${count}, waiting_bytes = queue_accounts.waiting_bytes + ${bytes},
      due_at = case when queue_accounts.due_at < ${now} then queue_accounts.due_at else ${now} end
    where queue_accounts.waiting + ${count} <= ${maxCount}
      and queue_accounts.waiting_bytes + ${bytes} <= ${maxBytes}
    returning last_id`
}

function prepareStatements(dialect: Dialect) {
  const { prepare, chain, list, typed, now, tables } = dialect
  const { accountCode, inputId, input, options } = placeholders('accountCode', 'inputId', 'input', 'options')
  const runCount = sql.placeholder('runs')
  const given = select(tables.queuedRuns, {
    omit: ['accountCode', 'state', 'dueAt', 'claimAt', 'holder', 'lastError', 'createdAt'],
  })
  const runRows = list('given_runs', given)
  const inputBytes = typed(sql.placeholder('bytes'), 'integer')
  const names = Object.keys(given).map(toColumnName)
  const values = names.map(name => `given."${name}"`).join()
  return {
    runRows,
    take: prepare(buildTakeIds(dialect), { lastId: tables.queueAccounts.lastId }),
    // One input with its runs. The input is no list, because that would copy its megabytes. It is a statement of its
    // own, so that the lock shows it what others have committed.
    insert: chain(
      {
        input: sql`
          insert into queued_inputs (account_code, id, runs, bytes, waiting_bytes, input, options)
          values (${accountCode}, ${inputId}, ${runCount}, ${inputBytes}, ${inputBytes}, ${input}, ${options})`,
        runs: sql`
          insert into queued_runs (
            account_code, ${sql.raw(names.map(name => `"${name}"`).join())}, state, due_at, claim_at
          )
          select ${accountCode}, ${sql.raw(values)}, case when is_blocked then 'blocked' else 'waiting' end, ${now},
            case when is_blocked then null else ${now} end
          from (
            select given_runs.*, exists (
              select 1 from queued_runs where account_code = ${accountCode} and lane = given_runs.lane
            ) as is_blocked from ${runRows.rows}
          ) as given
          returning id`,
      },
      'runs',
      { id: tables.queuedRuns.id },
    ),
  }
}
