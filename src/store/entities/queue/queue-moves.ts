import { type SQL, sql } from 'drizzle-orm'
import type { HeldRun } from '../../../domain/queue/held-runs.ts'
import type { RunError } from '../../../domain/scripts/run.ts'
import { type Dialect, placeholders } from '../../dialect.ts'
import { all, first, type Work } from '../../work.ts'
import type { QueueAccounts } from './queue-accounts.ts'
import type { QueuedInputs } from './queued-inputs.ts'
import { toHeldRuns } from './queued-rows.ts'

interface AnotherTry {
  readonly afterMs: number
  readonly error: RunError
}

/** What a move did with the runs that their holders still had. */
export interface Moved {
  /** The runs whose attempt ended: done, to be run again, or dead. */
  readonly ended: readonly HeldRun[]
  /** Time until a run that waits because of it can be claimed; null if none does. */
  readonly nextInMs: number | null
  /** The bytes that the account stores, if the move changed them. */
  readonly stored?: number | null
}

const none: Moved = { ended: [], nextInMs: null }

export type QueueMoves = ReturnType<typeof createQueueMoves>

/**
 * Moves runs that a holder has, while the account is locked: call `lockAndFinish` first. Each leaves the runs
 * that the holder does not have as they are.
 *
 *   blocked ──▶ waiting ⇄ running ──▶ gone
 *                  ▲          └─────▶ dead
 *                  └───── retried ─────┘
 */
export function createQueueMoves(dialect: Dialect, accounts: QueueAccounts, inputs: QueuedInputs) {
  const held = dialect.list('held', { id: 'integer', holder: 'text' })
  const lanes = dialect.list('lanes', { lane: 'text' })
  const statements = prepareStatements(dialect, { held: held.rows, lanes: lanes.rows })

  /**
   * Lets the first run of each lane wait for its turn, unless another run of the lane already waits or runs. Returns
   * the time until one can be claimed.
   */
  function* wakeLanes(
    accountCode: string,
    rows: readonly { readonly lane: string | null }[],
  ): Work<number | null> {
    const given = [...new Set(rows.flatMap(({ lane }) => lane ?? []))].map(lane => ({ lane }))
    if (given.length === 0) return null
    const woken = yield* all(statements.wake, { accountCode, ...lanes.encode(given) })
    if (woken.length === 0) return null
    yield* accounts.wake(accountCode, 0, 0)
    return 0
  }

  return {
    wakeLanes,

    /** Locks the account, then removes finished runs. */
    *lockAndFinish(accountCode: string, runs: readonly HeldRun[]): Work<Moved> {
      const gone = yield* all(statements.lockAndFinish, { accountCode, ...held.encode(runs) })
      const stored = yield* inputs.release(
        accountCode,
        gone.map(({ inputId }) => inputId),
        gone.length,
      )
      return { ended: toHeldRuns(gone), nextInMs: yield* wakeLanes(accountCode, gone), stored }
    },

    /** Returns runs to the queue, without counting the attempts. */
    *release(accountCode: string, runs: readonly HeldRun[]): Work<Moved> {
      if (runs.length === 0) return none
      const back = yield* all(statements.release, { accountCode, ...held.encode(runs) })
      if (back.length === 0) return none
      yield* accounts.wake(accountCode, back.length, 0)
      return { ended: [], nextInMs: 0 }
    },

    *tryAgain(accountCode: string, { id, holder }: HeldRun, { afterMs, error }: AnotherTry): Work<Moved> {
      const values = { accountCode, id, holder, afterMs, error: JSON.stringify(error) }
      const row = yield* first(statements.tryAgain, values)
      if (row === undefined) return none
      yield* accounts.wake(accountCode, 1, afterMs)
      return { ended: [{ id, holder }], nextInMs: afterMs }
    },

    *die(accountCode: string, { id, holder }: HeldRun, error: RunError | null): Work<Moved> {
      const lane = yield* first(statements.findLane, { accountCode, id })
      const values = { accountCode, id, holder, error: error && JSON.stringify(error) }
      const row = yield* first(statements.die, values)
      if (row === undefined || lane === undefined) return none
      yield* inputs.release(accountCode, [row.inputId], 0)
      return { ended: [{ id, holder }], nextInMs: yield* wakeLanes(accountCode, [lane]) }
    },
  }
}

function prepareStatements(dialect: Dialect, rows: { readonly held: SQL; readonly lanes: SQL }) {
  const { prepare, chain, after, typed, now, nowPlus, forUpdate, tables } = dialect
  const given = placeholders('accountCode', 'id', 'holder', 'afterMs')
  const error = typed(sql.placeholder('error'), 'text')
  const { id, holder, lane, inputId } = tables.queuedRuns
  const isHeld = sql`account_code = ${given.accountCode} and id = ${given.id} and holder = ${given.holder}`
  const at = nowPlus(given.afterMs)
  return {
    lockAndFinish: chain(
      {
        locked: sql`
          select waiting from queue_accounts where account_code = ${given.accountCode} ${forUpdate}`,
        gone: sql`
          delete from queued_runs
          where account_code = ${given.accountCode} and (id, holder) in (select id, holder from ${rows.held})
            and ${after('locked')}
          returning id, holder, lane, input_id`,
      },
      'gone',
      { id, holder, lane, inputId },
    ),
    release: prepare(
      sql`
        update queued_runs set state = 'waiting', due_at = ${now}, claim_at = ${now}, holder = null
        where account_code = ${given.accountCode} and (id, holder) in (select id, holder from ${rows.held})
        returning id`,
      { id },
    ),
    tryAgain: prepare(
      sql`
        update queued_runs set state = 'waiting', attempt = attempt + 1, due_at = ${at}, claim_at = ${at},
          holder = null, last_error = ${error}
        where ${isHeld} returning id`,
      { id },
    ),
    findLane: prepare(
      sql`select lane from queued_runs where account_code = ${given.accountCode} and id = ${given.id}`,
      { lane },
    ),
    die: prepare(
      sql`
        update queued_runs set state = 'dead', lane = null, claim_at = null, holder = null,
          last_error = coalesce(${error}, last_error)
        where ${isHeld} returning id, input_id`,
      { id, inputId },
    ),
    wake: prepare(
      sql`
        update queued_runs set state = 'waiting', claim_at = ${now}
        where account_code = ${given.accountCode} and id in (
          select (
            select min(blocked.id) from queued_runs as blocked
            where blocked.account_code = ${given.accountCode} and blocked.lane = lanes.lane
              and blocked.state = 'blocked'
          ) from ${rows.lanes}
          where not exists (
            select 1 from queued_runs as active
            where active.account_code = ${given.accountCode} and active.lane = lanes.lane
              and active.state in ('waiting', 'running')
          )
        ) returning id`,
      { id },
    ),
  }
}
