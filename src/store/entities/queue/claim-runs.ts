import { type SQL, sql } from 'drizzle-orm'
import type {
  Claim,
  ClaimedRun,
  ClaimRequest,
  DeadRun,
  QueueStore,
} from '../../../domain/queue/queue-store.ts'
import { errorWithoutPosition } from '../../../domain/scripts/run.ts'
import { RostrumError } from '../../../errors.ts'
import type { Database } from '../../database.ts'
import { columnsOf, type Dialect, namesOf, placeholders } from '../../dialect.ts'
import { orNull } from '../../tables/tables-of.ts'
import { all, only, type Work } from '../../work.ts'
import type { QueueMoves } from './queue-moves.ts'
import {
  type ClaimedRow,
  findInputs,
  type Inputs,
  selectClaimed,
  toClaimedRun,
  toHeldRuns,
} from './queued-rows.ts'

// Maximum number of accounts in one transaction.
const maxAccounts = 16

interface WorkOfClaim extends Claim {
  readonly hasChanged: boolean
}

interface ExpiredRun extends Omit<DeadRun, 'accountCode' | 'code'> {
  readonly holder: string | null
  readonly attempt: number
}

interface ClaimOfAccount {
  readonly claimed: readonly ClaimedRun[]
  readonly died: readonly DeadRun[]
}

interface Claiming {
  readonly store: Pick<QueueStore, 'claim' | 'renew' | 'nextInMs'>
  /** Claims runs inside a transaction that does more. */
  readonly claim: (request: ClaimRequest) => Work<Claim>
}

/**
 * A claim reads the first due runs of the first due accounts, along their indexes: it takes no longer if more wait. An
 * account that was served is due from now on, so that the others come first.
 */
export function createClaiming(database: Database, moves: QueueMoves): Claiming {
  const { write, writeEach, read } = database
  const held = database.list('held', { id: 'integer', holder: 'text' })
  const leftOut = database.list('left_out', { accountCode: 'text' })
  const statements = prepareStatements(database, held.rows, leftOut.rows)
  const encodeLeftOut = (accounts: readonly string[]) =>
    leftOut.encode(accounts.map(accountCode => ({ accountCode })))

  function* claim(request: ClaimRequest, mayWait = false): Work<WorkOfClaim> {
    const { maxRuns, leftOut: excluded = [], maxRunsOf = () => maxRuns } = request
    const limit = Math.min(maxRuns, maxAccounts)
    const others = encodeLeftOut(excluded)
    const free = yield* all(statements.findAccounts, { limit, ...others })
    // An account that saves all the time is always locked, so a claim that holds no lock waits for one.
    const due = free.length > 0 || !mayWait ? free : yield* all(statements.waitForAccount, others)
    const runs = []
    const dead: DeadRun[] = []
    const leftOut = [...excluded]
    for (const [index, { accountCode }] of due.entries()) {
      const share = Math.ceil((maxRuns - runs.length) / (due.length - index))
      const maxOfAccount = maxRunsOf(accountCode)
      const { claimed, died } = yield* claimOf(accountCode, Math.min(share, maxOfAccount), request)
      runs.push(...claimed)
      dead.push(...died)
      if (claimed.length >= maxOfAccount) leftOut.push(accountCode)
    }
    const hasChanged = due.length > 0
    if (runs.length >= maxRuns) return { runs, nextInMs: 0, leftOut, dead, hasChanged }
    const next = yield* only(statements.findNext, encodeLeftOut(leftOut))
    return { runs, nextInMs: toMs(next), leftOut, dead, hasChanged }
  }

  function* claimOf(accountCode: string, limit: number, request: ClaimRequest): Work<ClaimOfAccount> {
    if (limit <= 0) return { claimed: [], died: [] }
    const { holder, leaseMs } = request
    const due = yield* all(statements.findDue, { accountCode, limit })
    const expired = due.filter(({ state }) => state === 'running')
    // The ends of other runs lock their rows before the counters too.
    for (const { id, txnId } of expired) yield* all(statements.loseRuns, { accountCode, id, txnId })
    const died: DeadRun[] = []
    for (const run of expired) {
      const isDead = yield* expire(accountCode, run, request)
      if (isDead) died.push({ ...run, accountCode, code: leaseEnded.code })
    }
    const isAny = due.some(({ state }) => state === 'waiting')
    const taken = isAny ? yield* all(statements.take, { accountCode, holder, leaseMs, limit }) : []
    const read = yield* readTaken(accountCode, holder, taken)
    yield* all(statements.serve, { accountCode, taken: taken.length })
    return { claimed: read.claimed, died: [...died, ...read.died] }
  }

  // A run whose row cannot be read is dead. The claim returns the other runs.
  function* readTaken(
    accountCode: string,
    holder: string,
    taken: readonly ClaimedRow[],
  ): Work<ClaimOfAccount> {
    const inputs = findInputs(taken)
    const claimed: ClaimedRun[] = []
    const died: DeadRun[] = []
    for (const row of taken) {
      const run = tryToRead(row, inputs)
      if (run instanceof RostrumError) {
        const error = errorWithoutPosition('CRASHED', run.message)
        yield* moves.die(accountCode, { id: row.id, holder }, error)
        died.push({ ...row, code: error.code })
      } else claimed.push(run)
    }
    return { claimed: claimed.toSorted((a, b) => a.id - b.id), died }
  }

  /** Returns true if the run is dead. */
  function* expire(
    accountCode: string,
    { id, holder, attempt }: ExpiredRun,
    { retryAfterMs }: ClaimRequest,
  ): Work<boolean> {
    const run = { id, holder: holder ?? '' }
    const afterMs = retryAfterMs(attempt)
    if (afterMs === null) yield* moves.die(accountCode, run, leaseEnded)
    else yield* moves.tryAgain(accountCode, run, { afterMs, error: leaseEnded })
    return afterMs === null
  }

  return {
    claim,
    store: {
      async claim(request) {
        const { hasChanged: _, ...claimed } = await write(null, () => claim(request, true), {
          hasChanged: ({ hasChanged }) => hasChanged,
        })
        return claimed
      },
      async renew(accountCode, runs, leaseMs) {
        const values = { accountCode, leaseMs, ...held.encode(runs) }
        const rows = await writeEach(accountCode, () => all(statements.renew, values))
        return toHeldRuns(rows)
      },
      async nextInMs(leftOut = []) {
        const [row] = await read(statements.findNext, encodeLeftOut(leftOut))
        return row === undefined ? null : toMs(row)
      },
    },
  }
}

// A row that cannot be read costs its own run, never the claim of others (contract, section 9).
function tryToRead(row: ClaimedRow, inputs: Inputs): ClaimedRun | RostrumError {
  try {
    return toClaimedRun(row, inputs)
  } catch (error) {
    if (error instanceof RostrumError) return error
    throw error
  }
}

const leaseEnded = errorWithoutPosition('CRASHED', 'The gateway that ran it stopped or hung')

function toMs({ dueAt, now }: { readonly dueAt: Date | null; readonly now: Date | null }): number | null {
  return dueAt === null || now === null ? null : Math.max(0, dueAt.getTime() - now.getTime())
}

function prepareStatements(dialect: Dialect, held: SQL, leftOut: SQL) {
  const { prepare, chain, typed, now, nowPlus, forUpdate, skipLocked, tables } = dialect
  const { queueAccounts: accounts, queuedRuns: runs } = tables
  const given = placeholders('accountCode', 'holder', 'leaseMs', 'limit', 'id', 'txnId')
  const taken = typed(sql.placeholder('taken'), 'integer')
  const isOfAccount = sql`account_code = ${given.accountCode}`
  const claimed = selectClaimed(tables)
  const { id, state, attempt, holder, txnId, trigger, triggerId, functionId, name, caseId } = runs
  const due = { id, state, attempt, holder, txnId, trigger, triggerId, functionId, name, caseId }
  const isAsked = sql`account_code not in (select account_code from ${leftOut})`
  return {
    findAccounts: prepare(
      sql`
        select account_code from queue_accounts where due_at <= ${now} and ${isAsked}
        order by due_at, account_code limit ${given.limit} ${skipLocked}`,
      { accountCode: accounts.accountCode },
    ),
    waitForAccount: prepare(
      sql`
        select account_code from queue_accounts where due_at <= ${now} and ${isAsked}
        order by due_at, account_code limit 1 ${forUpdate}`,
      { accountCode: accounts.accountCode },
    ),
    findNext: prepare(sql`select min(due_at), ${now} from queue_accounts where ${isAsked}`, {
      dueAt: accounts.dueAt,
      now: accounts.dueAt,
    }),
    findDue: prepare(
      sql`
        select ${columnsOf(due)} from queued_runs where ${isOfAccount} and claim_at <= ${now}
        order by claim_at, id limit ${given.limit} ${forUpdate}`,
      due,
    ),
    // Marks the run of the attempt as lost, and the runs that its script started.
    loseRuns: prepare(sql`
      update runs set state = 'lost' where ${isOfAccount} and txn_id = ${given.txnId} and state = 'running' and (
        queued_run_id = ${given.id} or parent_run_id in (
          select run_id from runs
          where ${isOfAccount} and txn_id = ${given.txnId} and queued_run_id = ${given.id} and state = 'running'
        )
      )`),
    // Takes runs. Runs with the same input get it once.
    take: chain(
      {
        taken: sql`
          update queued_runs set state = 'running', holder = ${given.holder}, claim_at = ${nowPlus(given.leaseMs)}
          where ${isOfAccount} and id in (
            select id from queued_runs where ${isOfAccount} and claim_at <= ${now} and state = 'waiting'
            order by claim_at, id limit ${given.limit}
          ) returning ${columnsOf(claimed)}`,
        runs: sql`
          select ${namesOf(claimed, 'numbered')}, case when is_first = 1 then inputs.input end,
            case when is_first = 1 then inputs.options end
          from (
            select taken.*, row_number() over (partition by input_id order by id) as is_first from taken
          ) as numbered join queued_inputs as inputs on inputs.account_code = numbered.account_code
            and inputs.id = numbered.input_id`,
      },
      'runs',
      { ...claimed, input: orNull(tables.queuedInputs.input), options: orNull(tables.queuedInputs.options) },
    ),
    // Puts the account after the others: it is due from now on, if more of its runs are due.
    serve: prepare(sql`
      update queue_accounts set waiting = waiting - ${taken}, due_at = (
          select case when min(claim_at) < ${now} then ${now} else min(claim_at) end
          from queued_runs where ${isOfAccount}
        )
      where ${isOfAccount}`),
    renew: prepare(
      sql`
        update queued_runs set claim_at = ${nowPlus(given.leaseMs)}
        where ${isOfAccount} and state = 'running' and (id, holder) in (select id, holder from ${held})
        returning id, holder`,
      { id: runs.id, holder: runs.holder },
    ),
  }
}
