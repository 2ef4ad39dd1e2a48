import { type SQL, sql } from 'drizzle-orm'
import { maxWaiting, type NewQueuedRun } from '../../../domain/queue/queue-store.ts'
import { tooManyWaiting } from '../../../domain/queue/queued-runs.ts'
import { type Dialect, placeholders } from '../../dialect.ts'
import { toColumnName } from '../../tables/describe-table.ts'
import { all, first, type Work } from '../../work.ts'

/**
 * Queues runs in the transaction that causes them, and gives their ids. It locks the queue of the account until the
 * commit, so it comes after the changes of the case and its event, and before kept runs. Throws `OVERLOADED`, which
 * undoes the transaction, where the account would have more than 10,000 waiting runs. Pass `hasQueued` to
 * `database.change`, which wakes the gateways after the commit. `taken` is the row of `wordTakeIds` if an earlier
 * statement took the ids.
 */
export type Enqueue = (
  accountCode: string,
  runs: readonly NewQueuedRun[],
  taken?: { readonly row: TakenIds },
) => Work<readonly number[]>

/** The ids of queued runs that a transaction took; undefined if too many wait. */
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
  input: 'text',
  options: 'text',
} as const

export function createEnqueue(dialect: Dialect): Enqueue {
  const { given, take, insert } = prepareStatements(dialect)
  return function* enqueue(accountCode, runs, taken) {
    if (runs.length === 0) return []
    const count = runs.length
    const row = taken === undefined ? yield* first(take, { accountCode, count, maxWaiting }) : taken.row
    if (row === undefined) throw tooManyWaiting()
    const ids = runs.map((_, index) => row.lastId - count + 1 + index)
    const rows = runs.map((run, index) => ({
      ...run,
      id: ids[index] ?? 0,
      lane: laneOf(run),
      causedBy: JSON.stringify(run.causedBy),
      scopes: run.scopes.join(' '),
      attempt: 1,
    }))
    yield* all(insert, { accountCode, ...given.encode(rows) })
    return ids
  }
}

/** Runs of one hook on one case go in order. Null for a run that waits for no other. */
export function laneOf({ hookId, caseId }: Pick<NewQueuedRun, 'hookId' | 'caseId'>): string | null {
  return hookId === null || caseId === null ? null : `${hookId}/${caseId}`
}

/** Takes `count` ids for runs that wait, up to `maxWaiting`, and locks the queue of the account until the commit. */
export function wordTakeIds({ typed, now }: Dialect): SQL {
  const { accountCode, maxWaiting } = placeholders('accountCode', 'maxWaiting')
  const count = typed(sql.placeholder('count'), 'integer')
  return sql`
    insert into queue_accounts (account_code, last_id, waiting, due_at)
    values (${accountCode}, ${count}, ${count}, ${now})
    on conflict (account_code) do update set last_id = queue_accounts.last_id + ${count},
      waiting = queue_accounts.waiting + ${count},
      due_at = case when queue_accounts.due_at < ${now} then queue_accounts.due_at else ${now} end
    where queue_accounts.waiting + ${count} <= ${typed(maxWaiting, 'integer')}
    returning last_id`
}

function prepareStatements(dialect: Dialect) {
  const { prepare, list, now, tables } = dialect
  const { accountCode } = placeholders('accountCode')
  const given = list('given', columns)
  const names = Object.keys(columns).map(toColumnName)
  const values = names.map(name => `given."${name}"`).join()
  return {
    given,
    take: prepare(wordTakeIds(dialect), { lastId: tables.queueAccounts.lastId }),
    // A statement of its own: the lock shows it what others have committed.
    insert: prepare(sql`
      insert into queued_runs (account_code, ${sql.raw(names.map(name => `"${name}"`).join())}, state, due_at, claim_at)
      select ${accountCode}, ${sql.raw(values)}, case when is_blocked then 'blocked' else 'waiting' end, ${now},
        case when is_blocked then null else ${now} end
      from (
        select given.*, exists (
          select 1 from queued_runs where account_code = ${accountCode} and lane = given.lane
        ) as is_blocked from ${given.rows}
      ) as given`),
  }
}
