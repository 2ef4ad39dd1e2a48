import { type SQL, sql } from 'drizzle-orm'
import type { QueueStore } from '../../../domain/queue/queue-store.ts'
import { maxWaiting, noQueuedRun, stillRunning, tooMuchQueued } from '../../../domain/queue/waiting-limits.ts'
import type { StoreLimits } from '../../../domain/store-limits.ts'
import type { Database } from '../../database.ts'
import { columnsOf, type Dialect, placeholders, type Statement } from '../../dialect.ts'
import { numberOf } from '../../tables/tables-of.ts'
import { all, first, only, refuse, type Work } from '../../work.ts'
import { laneOf } from './enqueue.ts'
import type { QueueAccounts } from './queue-accounts.ts'
import type { QueuedInputs } from './queued-inputs.ts'
import { selectQueued, toQueuedRun } from './queued-rows.ts'

interface DeadRow {
  readonly id: number
  readonly triggerId: number
  readonly caseId: number | null
  readonly inputId: number
  /** What its input adds to the waiting bytes: 0 if another run that waits has the same. */
  readonly bytes: number
}

interface Dependencies {
  readonly accounts: QueueAccounts
  readonly inputs: QueuedInputs
  readonly limits: Pick<StoreLimits, 'queueBytes'>
}

/** Lets runs run again, while the queue of their account is locked. */
export function createRetrying(
  database: Database,
  { accounts, inputs, limits }: Dependencies,
): Pick<QueueStore, 'retry' | 'retryDead'> {
  const { change, list } = database
  const retried = list('given', { id: 'integer', lane: 'text', isLater: 'integer' })
  const statements = prepareStatements(database, retried.rows)

  /**
   * Makes dead runs wait again, in the order of their ids. The first one of a lane waits for the runs of the lane that
   * are not dead.
   */
  function* wake(accountCode: string, dead: readonly DeadRow[]): Work<void> {
    const lanes = new Set<string | null>([null])
    const rows = dead.map(run => {
      const lane = laneOf(run)
      const isLater = lane !== null && lanes.has(lane) ? 1 : 0
      lanes.add(lane)
      return { id: run.id, lane, isLater }
    })
    yield* inputs.wake(
      accountCode,
      dead.map(({ inputId }) => inputId),
    )
    yield* all(statements.wake, { accountCode, limit: rows.length, ...retried.encode(rows) })
    yield* accounts.wake(accountCode, dead.length, 0)
  }

  return {
    async retry(origin, id) {
      const { accountCode } = origin
      const work = function* () {
        const waiting = yield* accounts.lock(accountCode)
        const found = yield* first(statements.find, { accountCode, id })
        if (found === undefined) return refuse(noQueuedRun(id))
        if (found.state === 'running') return refuse(stillRunning(id, 'Retry'))
        if (found.state === 'dead') {
          const dead = yield* only(statements.findDead.one, { accountCode, id, limit: 1 })
          const more = { waiting: 1, waitingBytes: dead.bytes }
          const refusal = tooMuchQueued(waiting, more, limits.queueBytes)
          if (refusal !== null) return refuse(refusal)
          yield* wake(accountCode, [dead])
        } else {
          yield* all(statements.makeDue, { accountCode, id })
          yield* accounts.wake(accountCode, 0, 0)
        }
        const [row = found] = yield* all(statements.find, { accountCode, id })
        return { row }
      }
      return toQueuedRun((await change(origin, work, { hasQueued: () => true })).row)
    },

    retryDead(origin, { of, limit }) {
      const { accountCode } = origin
      return change(
        origin,
        function* () {
          const waiting = yield* accounts.lock(accountCode)
          const room = Math.max(0, maxWaiting - waiting.waiting)
          const values = { accountCode, ...of, limit: Math.min(limit, room) }
          const find = of === null ? statements.findDead.any : statements.findDead.ofTrigger
          const found = yield* all(find, values)
          const dead = takeFitting(found, limits.queueBytes - waiting.waitingBytes)
          if (dead.length > 0) yield* wake(accountCode, dead)
          return dead.length
        },
        { hasChanged: count => count > 0, hasQueued: count => count > 0 },
      )
    },
  }
}

/** The first runs whose inputs fit into this many bytes. Runs that share an input need it once. */
function takeFitting(dead: readonly DeadRow[], maxBytes: number): readonly DeadRow[] {
  const counted = new Set<number>()
  let bytes = 0
  const end = dead.findIndex(run => {
    if (!counted.has(run.inputId)) bytes += run.bytes
    counted.add(run.inputId)
    return bytes > maxBytes
  })
  return end === -1 ? dead : dead.slice(0, end)
}

function prepareStatements({ prepare, now, tables }: Dialect, retried: SQL) {
  const given = placeholders('accountCode', 'id', 'trigger', 'triggerId', 'limit')
  const { id, trigger, triggerId, caseId, inputId } = tables.queuedRuns
  const bytes = sql`
    (select bytes - waiting_bytes from queued_inputs
     where queued_inputs.account_code = queued_runs.account_code and queued_inputs.id = queued_runs.input_id)`
  const selection = selectQueued(tables)
  const isTheRun = sql`account_code = ${given.accountCode} and id = ${given.id}`
  const findDead = (condition: SQL): Statement<DeadRow> =>
    prepare(
      sql`
        select id, trigger_id, case_id, input_id, ${bytes} from queued_runs
        where account_code = ${given.accountCode} and state = 'dead' ${condition}
        order by id limit ${given.limit}`,
      { id, triggerId, caseId, inputId, bytes: numberOf(bytes) },
    )
  return {
    find: prepare(sql`select ${columnsOf(selection)} from queued_runs where ${isTheRun}`, selection),
    findDead: {
      any: findDead(sql``),
      one: findDead(sql`and id = ${given.id}`),
      ofTrigger: findDead(sql`and ${trigger} = ${given.trigger} and ${triggerId} = ${given.triggerId}`),
    },
    // A run that is already due keeps its place. A blocked run stays blocked, without a claim time.
    makeDue: prepare(sql`
      update queued_runs set due_at = case when due_at < ${now} then due_at else ${now} end,
        claim_at = case when claim_at > ${now} then ${now} else claim_at end
      where ${isTheRun}`),
    // Because of the limit SQLite reads the list first, and then each run by its id, not the list for each run.
    wake: prepare(
      sql`
        update queued_runs set attempt = 1, due_at = ${now}, lane = retried.lane,
          state = case when is_blocked then 'blocked' else 'waiting' end,
          claim_at = case when is_blocked then null else ${now} end
        from (
          select id as retried_id, lane, is_later = 1 or exists (
            select 1 from queued_runs as others
            where others.account_code = ${given.accountCode} and others.lane = given.lane
          ) as is_blocked from ${retried} limit ${given.limit}
        ) as retried
        where account_code = ${given.accountCode} and id = retried_id`,
    ),
  }
}

/** Counts runs along the index of their states. */
export function createCounting({ prepare, read }: Database): Pick<QueueStore, 'count' | 'countAll'> {
  const accountCode = sql.placeholder('accountCode')
  const number = { count: numberOf(sql`count(*)`) }
  const countOf = (states: SQL) =>
    prepare(
      sql`select count(*) from queued_runs where account_code = ${accountCode} and state in (${states})`,
      number,
    )
  const statements = {
    all: countOf(sql`'blocked', 'waiting', 'running', 'dead'`),
    waiting: countOf(sql`'blocked', 'waiting'`),
    running: countOf(sql`'running'`),
    dead: countOf(sql`'dead'`),
  }
  const ofAll = prepare(
    sql`select count(*) filter (where state in ('blocked', 'waiting')), count(*) filter (where state = 'dead')
      from queued_runs`,
    { waiting: numberOf(sql`count(*)`), dead: numberOf(sql`count(*)`) },
  )
  return {
    async countAll() {
      const [row] = await read(ofAll, {})
      return row ?? { waiting: 0, dead: 0 }
    },
    async count(account, state) {
      const [row] = await read(statements[state ?? 'all'], { accountCode: account })
      return row?.count ?? 0
    },
  }
}
