import { type SQL, sql } from 'drizzle-orm'
import type { NewQueuedRun } from '../../../domain/queue/queue-store.ts'
import { maxWaiting, tooManyWait, tooMuchQueued } from '../../../domain/queue/waiting-limits.ts'
import type { StoreLimits } from '../../../domain/store-limits.ts'
import { select } from '../../columns.ts'
import { type Dialect, namesOf, placeholders, type Values } from '../../dialect.ts'
import type { Selection } from '../../tables/tables-of.ts'
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
  const { take, insert } = prepareStatements(dialect)

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
      const now = yield* accounts.lock(accountCode)
      return refuse(tooMuchQueued(now, measureWaiting(shared), queueBytes) ?? tooManyWait())
    }
    const count = measureWaiting(shared).waiting
    const firstId = row.lastId - count + 1
    yield* insert(accountCode, shared, firstId)
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
 * Takes ids for runs that wait, and locks the queue of the account until the commit. `more` selects the number of runs
 * and the bytes of their inputs. No row means that the account would have too many, or that `more` has no row.
 */
export function buildTakeIds({ typed, now }: Pick<Dialect, 'typed' | 'now'>, more?: SQL): SQL {
  const integer = (name: string) => typed(sql.placeholder(name), 'integer')
  const [maxCount, maxBytes] = [integer('maxWaiting'), integer('maxWaitingBytes')]
  const given = sql`select ${integer('count')} as waiting, ${integer('waitingBytes')} as bytes`
  return sql`
    insert into queue_accounts (account_code, last_id, waiting, waiting_bytes, due_at)
    select ${typed(sql.placeholder('accountCode'), 'text')}, more.waiting, more.waiting, more.bytes, ${now}
    from (${more ?? given}) as more where more.waiting <= ${maxCount} and more.bytes <= ${maxBytes}
    on conflict (account_code) do update set last_id = queue_accounts.last_id + excluded.last_id,
      waiting = queue_accounts.waiting + excluded.waiting,
      waiting_bytes = queue_accounts.waiting_bytes + excluded.waiting_bytes,
      due_at = case when queue_accounts.due_at < ${now} then queue_accounts.due_at else ${now} end
    where queue_accounts.waiting + excluded.waiting <= ${maxCount}
      and queue_accounts.waiting_bytes + excluded.waiting_bytes <= ${maxBytes}
    returning last_id`
}

function prepareStatements(dialect: Dialect) {
  const { prepare, tables } = dialect
  return {
    take: prepare(buildTakeIds(dialect), { lastId: tables.queueAccounts.lastId }),
    insert: prepareInsert(dialect),
  }
}

// Maximum bytes of inputs that one statement inserts as a list, which copies them.
const maxListedBytes = 2 ** 20

/**
 * Prepares the insert of inputs with their runs, of one account and with consecutive ids. It is a statement of its own,
 * so that the lock shows it what others have committed.
 */
function prepareInsert(dialect: Dialect) {
  const { chain, list, typed, isShared, tables } = dialect
  const { accountCode, inputId, input, options } = placeholders('accountCode', 'inputId', 'input', 'options')
  const bytes = typed(sql.placeholder('bytes'), 'integer')
  const given = select(tables.queuedRuns, {
    omit: ['accountCode', 'state', 'dueAt', 'claimAt', 'holder', 'lastError', 'createdAt'],
  })
  const runRows = list('given_runs', given)
  const inputRows = list('given_inputs', select(tables.queuedInputs, { omit: ['accountCode'] }))
  const insertInputs = sql`
    insert into queued_inputs (account_code, id, runs, bytes, waiting_bytes, input, options)`
  const runs = buildRuns(dialect, given, runRows.rows)
  const prepare = (input: SQL) => chain({ input, runs }, 'runs', { id: tables.queuedRuns.id })
  // Each input is a value of its own, as a list copies its megabytes.
  const insertOne = prepare(sql`
    ${insertInputs}
    values (${accountCode}, ${inputId}, ${sql.placeholder('runs')}, ${bytes}, ${bytes}, ${input}, ${options})`)
  const insertMany = prepare(
    sql`
      ${insertInputs}
      select ${accountCode}, id, runs, bytes, waiting_bytes, input, options from ${inputRows.rows}`,
  )

  return function* insert(accountCode: string, shared: readonly SharedInput[], firstId: number): Work<void> {
    let nextId = firstId
    const inputs = shared.map(({ runs, ...each }) => {
      const id = nextId
      nextId += runs.length
      return { ...each, id, runs: runs.length, waitingBytes: each.bytes, rows: toRows(runs, id) }
    })
    if (isShared && inputs.length > 1 && measureWaiting(shared).waitingBytes <= maxListedBytes) {
      const rows = runRows.encode(inputs.flatMap(({ rows }) => rows))
      return yield* unread(insertMany, { accountCode, ...inputRows.encode(inputs), ...rows })
    }
    for (const { id, rows, ...values } of inputs) {
      yield* unread(insertOne, { accountCode, inputId: id, ...values, ...runRows.encode(rows) })
    }
  }
}

// A run is blocked by an earlier one of its lane, which may be one of the given ones.
function buildRuns({ now }: Dialect, given: Selection, rows: SQL): SQL {
  return sql`
    insert into queued_runs (account_code, ${namesOf(given)}, state, due_at, claim_at)
    select ${sql.placeholder('accountCode')}, ${namesOf(given, 'given')},
      case when is_blocked then 'blocked' else 'waiting' end, ${now}, case when is_blocked then null else ${now} end
    from (
      select given_runs.*, given_runs.lane is not null and (
        exists (
          select 1 from queued_runs
          where account_code = ${sql.placeholder('accountCode')} and lane = given_runs.lane
        ) or row_number() over (partition by given_runs.lane order by given_runs.place) > 1
      ) as is_blocked from ${rows}
    ) as given
    returning id`
}
