import { and, eq, sql } from 'drizzle-orm'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { Origin } from '../../domain/store.ts'
import type { InTurn } from './account-turns.ts'
import type { EventSignal } from './event-signal.ts'
import { idempotencySteps as steps } from './tables.ts'
import type { Transactions } from './transactions.ts'

/**
 * Does the work of a step in a transaction, or gives the result of the one before that did it, as JSON keeps it; what changed nothing
 * (undefined) is no result, and is tried again. Without a step the work is done as it is, a transaction of its own. A result is a
 * change of memberships, takes its account's turn, and is announced once it is committed.
 */
export type Once = <T>(origin: Origin, work: () => Promise<T | undefined>) => Promise<T | undefined>

const accountCode = sql.placeholder('accountCode')
const key = sql.placeholder('key')
const number = sql.placeholder('number')
const isTheStep = and(eq(steps.accountCode, accountCode), eq(steps.key, key), eq(steps.number, number))

interface Dependencies {
  readonly db: PgRemoteDatabase
  readonly transactions: Transactions
  readonly signal: EventSignal
  readonly inTurn: InTurn
}

export function createOnce({ db, transactions, signal, inTurn }: Dependencies): Once {
  // Whoever else is at the same step waits for this row, and finds the result in it.
  const take = db
    .insert(steps)
    .values({ accountCode, key, number, result: '' })
    .onConflictDoNothing()
    .returning({ number: steps.number })
    .prepare('take_step')
  const find = prepareFind(db)
  const keep = db
    .update(steps)
    .set({ result: sql`${sql.placeholder('result')}` })
    .where(isTheStep)
    .prepare('keep_step')

  return async (origin, work) => {
    const result = await inTurn(origin.accountCode, () => make(origin, work))
    if (result !== undefined) signal.announce(origin.accountCode)
    return result
  }

  async function make<T>({ accountCode, step }: Origin, work: () => Promise<T | undefined>) {
    if (step === null) return transactions.retry(work)
    const id = { accountCode, ...step }
    return transactions.write(
      async () => {
        const [taken] = await take.execute(id)
        if (taken === undefined) {
          const [before] = await find.execute(id)
          if (before !== undefined) return JSON.parse(before.result) as T
        }
        const result = await work()
        if (result !== undefined) await keep.execute({ ...id, result: JSON.stringify(result) })
        return result
      },
      result => result !== undefined,
    )
  }
}

/** A function to what a step came to before; undefined where it was not made, or there is no step. */
export function createFindStep(db: PgRemoteDatabase) {
  const find = prepareFind(db)
  return async <T>({ accountCode, step }: Origin): Promise<T | undefined> => {
    if (step === null) return undefined
    const [before] = await find.execute({ accountCode, ...step })
    return before && (JSON.parse(before.result) as T)
  }
}

function prepareFind(db: PgRemoteDatabase) {
  return db.select({ result: steps.result }).from(steps).where(isTheStep).prepare('find_step')
}
