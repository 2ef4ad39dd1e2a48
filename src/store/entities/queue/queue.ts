import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { type HeldRun, isAmong } from '../../../domain/queue/held-runs.ts'
import type { QueuedEnd, QueueStore } from '../../../domain/queue/queue-store.ts'
import { noQueuedRun, stillRunning } from '../../../domain/queue/waiting-limits.ts'
import type { RunRow, RunWrites } from '../../../domain/runs/run-store.ts'
import type { StoreLimits } from '../../../domain/store-limits.ts'
import type { ShareOwner } from '../../../fairness/share-owner.ts'
import type { Database } from '../../database.ts'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import { all, first, refuse, type Work } from '../../work.ts'
import type { Parts } from '../parts.ts'
import type { WriteRuns } from '../runs/write-runs.ts'
import { createClaiming } from './claim-runs.ts'
import { createDeleteDead } from './delete-dead.ts'
import { type Enqueue, laneOf } from './enqueue.ts'
import type { QueueAccounts } from './queue-accounts.ts'
import { createQueueMoves, type Moved, type QueueMoves } from './queue-moves.ts'
import { createQueuedInputs, shareInputs } from './queued-inputs.ts'
import { selectQueued, toQueuedRun } from './queued-rows.ts'
import { createCounting, createRetrying } from './retry-runs.ts'

interface Dependencies {
  readonly database: Database
  readonly accounts: QueueAccounts
  readonly limits: StoreLimits
  readonly provision: Parts['provision']
  readonly enqueue: Enqueue
  readonly writeRuns: WriteRuns
  readonly onQueued: QueueStore['onQueued']
}

// More accounts than end runs at once. An account that drops out gets a new share, beside what still runs in the old.
const maxShares = 10_000

export function createQueueStore(dependencies: Dependencies): QueueStore {
  const { database, accounts, limits, provision, enqueue, writeRuns, onQueued } = dependencies
  const { change, read, write, isShared } = database
  const shareOf = createQueueShares()
  const inputs = createQueuedInputs(database)
  const moves = createQueueMoves(database, accounts, inputs)
  const claiming = createClaiming(database, moves)
  const selection = selectQueued(database.tables)
  const statements = prepareStatements(database)
  const reading = { maxCachedRows: 0, decode: toQueuedRun }
  const { findByIds } = database.findByIds(database.tables.queuedRuns, selection, reading)

  return {
    ...claiming.store,
    ...createDeleteDead(database, accounts, inputs),
    ...createRetrying(database, { accounts, inputs, limits }),
    ...createCounting(database),
    findByIds,
    async list(accountCode, state, after, limit) {
      const values = { accountCode, after, limit }
      const rows = await read(state === null ? statements.listAll : statements.list[state], values)
      return rows.map(toQueuedRun)
    },
    enqueue: (origin, runs) =>
      change(
        origin,
        function* () {
          yield* provision.account(origin.accountCode)
          return yield* enqueue(origin.accountCode, shareInputs(runs))
        },
        { hasQueued: ids => ids.length > 0 },
      ),
    finishAttempts: (accountCode, ends, next = null) =>
      write(shareOf(accountCode), function* () {
        const moved = yield* moveAll(moves, accountCode, ends)
        const ended = moved.flatMap(run => run.ended)
        const [stored] = moved.flatMap(({ stored }) => stored ?? [])
        const isFull = stored === undefined ? undefined : stored >= limits.accountBytes
        for (const [gateway, runs] of groupRuns(ends, ended)) {
          yield* writeRuns(accountCode, gateway, runs, isFull)
        }
        const times = moved.flatMap(({ nextInMs }) => nextInMs ?? [])
        const nextInMs = times.length === 0 ? null : Math.min(...times)
        const claims = next !== null && (next.always || nextInMs === 0)
        return { ended, nextInMs, claim: claims ? yield* claiming.claim(next) : null }
      }),
    async endLeases() {
      if (isShared || (await read(statements.findRunning, {})).length === 0) return
      await write(null, function* () {
        yield* all(statements.endLeases, {})
        yield* all(statements.wakeAccounts, {})
      })
    },
    async cancel(origin, id) {
      const { accountCode } = origin
      const work = function* () {
        yield* accounts.lock(accountCode)
        const row = yield* first(statements.find, { accountCode, id })
        if (row === undefined) return refuse(noQueuedRun(id))
        if (row.state === 'running') return refuse(stillRunning(id, 'Cancel'))
        yield* all(statements.remove, { accountCode, id })
        yield* inputs.release(accountCode, [row.inputId], 1)
        if (row.state !== 'dead') yield* accounts.count(accountCode, -1)
        yield* moves.wakeLanes(accountCode, [{ lane: laneOf(row) }])
        return { row: withoutInput(row) }
      }
      return toQueuedRun((await change(origin, work, { hasQueued: () => true })).row)
    },
    onQueued,
  }
}

/** The ends of an account have a share of their own: they do not wait for its changes, which can be many. */
function createQueueShares(): (accountCode: string) => ShareOwner {
  const shares = new LRUCache<string, symbol>({ max: maxShares, memoMethod: () => Symbol('queued runs') })
  return accountCode => shares.memo(accountCode)
}

function withoutInput<Row extends { readonly inputId: number }>({ inputId: _, ...row }: Row) {
  return row
}

// Groups the runs of attempts. A run that its holder no longer has, or that was interrupted, is lost.
function groupRuns(ends: readonly QueuedEnd[], ended: readonly HeldRun[]): Map<string, RunWrites> {
  const groups = new Map<string, { inserts: RunRow[]; ends: RunRow[] }>()
  for (const end of ends) {
    const { runs } = end
    if (runs === null) continue
    const isLost = !isAmong(ended, end)
    const judge = (row: RunRow): RunRow => (isLost ? { ...row, state: 'lost' } : row)
    const group = groups.get(runs.gateway) ?? { inserts: [], ends: [] }
    group.inserts.push(...runs.inserts.map(judge))
    group.ends.push(...runs.ends.map(judge))
    groups.set(runs.gateway, group)
  }
  return groups
}

// Moves runs that are done, and runs that are released, many at once.
function* moveAll(moves: QueueMoves, accountCode: string, ends: readonly QueuedEnd[]): Work<Moved[]> {
  const endsOf = (kind: QueuedEnd['end']['kind']) => ends.filter(({ end }) => end.kind === kind)
  const moved = [
    yield* moves.lockAndFinish(accountCode, endsOf('done')),
    yield* moves.release(accountCode, endsOf('released')),
  ]
  for (const { end, ...run } of ends) {
    if (end.kind === 'again') moved.push(yield* moves.tryAgain(accountCode, run, end))
    if (end.kind === 'dead') moved.push(yield* moves.die(accountCode, run, end.error))
  }
  return moved
}

function prepareStatements({ prepare, now, tables }: Dialect) {
  const given = placeholders('accountCode', 'id', 'after', 'limit')
  const selection = selectQueued(tables)
  const withInput = { ...selection, inputId: tables.queuedRuns.inputId }
  const isTheRun = sql`account_code = ${given.accountCode} and id = ${given.id}`
  const select = sql`select ${columnsOf(selection)} from queued_runs`
  const listAll = prepare(
    sql`${select} where account_code = ${given.accountCode} and id > ${given.after} order by id limit ${given.limit}`,
    selection,
  )
  // Reads each state along its index: a thousand waiting runs may come after 100,000 dead ones.
  const idsOf = (state: string) => sql`
    select id from (
      select id from queued_runs
      where account_code = ${given.accountCode} and state = ${sql.raw(`'${state}'`)} and id > ${given.after}
      order by id limit ${given.limit}
    ) as ${sql.raw(`${state}_runs`)}`
  const listOf = (...states: readonly string[]) =>
    prepare(
      sql`${select} where account_code = ${given.accountCode}
        and id in (${sql.join(states.map(idsOf), sql` union all `)}) order by id limit ${given.limit}`,
      selection,
    )
  return {
    find: prepare(sql`select ${columnsOf(withInput)} from queued_runs where ${isTheRun}`, withInput),
    listAll,
    list: { waiting: listOf('blocked', 'waiting'), running: listOf('running'), dead: listOf('dead') },
    remove: prepare(sql`delete from queued_runs where ${isTheRun}`),
    findRunning: prepare(sql`select id from queued_runs where state = 'running' limit 1`, {
      id: tables.queuedRuns.id,
    }),
    endLeases: prepare(sql`update queued_runs set claim_at = ${now} where state = 'running'`),
    wakeAccounts: prepare(sql`
      update queue_accounts set due_at = ${now}
      where account_code in (select account_code from queued_runs where state = 'running')`),
  }
}
