import { type SQL, sql } from 'drizzle-orm'
import type { NewQueuedRun } from '../../../domain/queue/queue-store.ts'
import { cannotQueue, findWaitingRefusal, maxWaiting } from '../../../domain/queue/waiting-limits.ts'
import type { StoreLimits } from '../../../domain/store-limits.ts'
import { type Dialect, placeholders, type Values } from '../../dialect.ts'
import { toColumnName } from '../../tables/describe-table.ts'
import { all, first, type Work } from '../../work.ts'
import type { StoredBytesCounter } from '../stored-bytes.ts'
import type { QueueAccounts } from './queue-accounts.ts'
import { measureStored, measureWaiting, type SharedInput, shareInputs } from './queued-inputs.ts'

/**
 * Queues runs in the transaction that causes them, and gives their ids. It locks the queue of the account until the
 * commit, so it comes after the changes of the case and its event, and before kept runs. Throws `OVERLOADED`, which
 * undoes the transaction, where the account would have more waiting runs, or more bytes of them, than it may.
 * Pass `hasQueued` to `database.change`, which wakes the gateways after the commit. `taken` is the row of `wordTakeIds`
 * if an earlier statement took the ids, which counts their stored bytes too.
 */
export type Enqueue = (
  accountCode: string,
  runs: readonly NewQueuedRun[],
  taken?: { readonly row: TakenIds },
) => Work<readonly number[]>

/** The ids of queued runs that a transaction took; undefined if the queue is full. */
export type TakenIds = { readonly lastId: number } | undefined

const columns = {
  id: 'integer',
  trigger: 'text',
  event: 'text',
  hookId: 'integer',
  webhookId: 'integer',
  functionId: 'integer',
  name: 'text',
  caseTypeCode: 'text',
  caseId: 'integer',
  caseVersion: 'integer',
  lane: 'text',
  txnId: 'text',
  generation: 'integer',
  causedBy: 'text',
  scopes: 'text',
  attempt: 'integer',
  inputId: 'integer',
} as const

const inputColumns = {
  id: 'integer',
  runs: 'integer',
  bytes: 'integer',
  input: 'text',
  options: 'text',
} as const

interface Dependencies {
  readonly dialect: Dialect
  readonly accounts: QueueAccounts
  readonly stored: StoredBytesCounter
  readonly limits: StoreLimits
}

export function createEnqueue({ dialect, accounts, stored, limits: { queueBytes } }: Dependencies): Enqueue {
  const { runRows, inputRows, take, insert } = prepareStatements(dialect)
  return function* enqueue(accountCode, runs, taken) {
    if (runs.length === 0) return []
    const shared = shareInputs(runs)
    const values = { accountCode, ...toTakeValues(shared, queueBytes) }
    const row = taken === undefined ? yield* first(take, values) : taken.row
    if (row === undefined) {
      const now = (yield* accounts.lock(accountCode)) ?? { waiting: 0, waitingBytes: 0 }
      throw cannotQueue(
        findWaitingRefusal(now, measureWaiting(shared), queueBytes) ?? { kind: 'too many runs' },
      )
    }
    if (taken === undefined) yield* stored.add(accountCode, measureStored(shared))
    const rows = toRows(shared, row.lastId - runs.length + 1)
    yield* all(insert, { accountCode, ...runRows.encode(rows.runs), ...inputRows.encode(rows.inputs) })
    return rows.runs.map(({ id }) => id)
  }
}

/** The runs have consecutive ids, and an input has the id of its first run. */
function toRows(shared: readonly SharedInput[], firstId: number) {
  let nextId = firstId
  const inputs = []
  const rows = []
  for (const { runs, ...input } of shared) {
    const inputId = nextId
    inputs.push({ ...input, id: inputId, runs: runs.length })
    for (const { input: _, options: __, ...run } of runs) {
      const causedBy = JSON.stringify(run.causedBy)
      const written = { causedBy, scopes: run.scopes.join(' '), lane: laneOf(run), attempt: 1 }
      rows.push({ ...run, ...written, id: nextId, inputId })
      nextId += 1
    }
  }
  return { inputs, runs: rows }
}

/** Runs of one hook on one case go in order. Null for a run that waits for no other. */
export function laneOf({ hookId, caseId }: Pick<NewQueuedRun, 'hookId' | 'caseId'>): string | null {
  return hookId === null || caseId === null ? null : `${hookId}/${caseId}`
}

/** The values of `wordTakeIds`, without the account. */
export function toTakeValues(shared: readonly SharedInput[], maxWaitingBytes: number): Values {
  const { waiting: count, waitingBytes } = measureWaiting(shared)
  return { count, waitingBytes, maxWaiting, maxWaitingBytes }
}

/**
 * Takes `count` ids for runs that wait, whose inputs have `waitingBytes`, and locks the queue of the account until the
 * commit. Without a row the account would have too many.
 */
export function wordTakeIds({ typed, now }: Dialect): SQL {
  const accountCode = typed(sql.placeholder('accountCode'), 'text')
  const integer = (name: string) => typed(sql.placeholder(name), 'integer')
  const count = integer('count')
  const bytes = integer('waitingBytes')
  const [maxCount, maxBytes] = [integer('maxWaiting'), integer('maxWaitingBytes')]
  return sql`
    insert into queue_accounts (account_code, last_id, waiting, waiting_bytes, due_at)
    select ${accountCode}, ${count}, ${count}, ${bytes}, ${now}
    where ${count} <= ${maxCount} and ${bytes} <= ${maxBytes}
    on conflict (account_code) do update set last_id = queue_accounts.last_id + ${count},
      waiting = queue_accounts.waiting + ${count}, waiting_bytes = queue_accounts.waiting_bytes + ${bytes},
      due_at = case when queue_accounts.due_at < ${now} then queue_accounts.due_at else ${now} end
    where queue_accounts.waiting + ${count} <= ${maxCount}
      and queue_accounts.waiting_bytes + ${bytes} <= ${maxBytes}
    returning last_id`
}

function prepareStatements(dialect: Dialect) {
  const { prepare, chain, list, now, tables } = dialect
  const { accountCode } = placeholders('accountCode')
  const runRows = list('given_runs', columns)
  const inputRows = list('given_inputs', inputColumns)
  const names = Object.keys(columns).map(toColumnName)
  const values = names.map(name => `given."${name}"`).join()
  return {
    runRows,
    inputRows,
    take: prepare(wordTakeIds(dialect), { lastId: tables.queueAccounts.lastId }),
    // A statement of its own: the lock shows it what others have committed.
    insert: chain(
      {
        inputs: sql`
          insert into queued_inputs (account_code, id, runs, bytes, waiting_bytes, input, options)
          select ${accountCode}, id, runs, bytes, bytes, input, options from ${inputRows.rows}`,
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
