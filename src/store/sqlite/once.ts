import { and, eq, sql } from 'drizzle-orm'
import type { Origin } from '../../domain/store.ts'
import type { SqliteDb } from './connect.ts'
import type { EventSignal } from './event-signal.ts'
import { prepareChange, prepareRows } from './prepare-statement.ts'
import { idempotencySteps as steps } from './tables.ts'

/**
 * Does the work of a step, or gives the result of the one before that did it, as JSON keeps it. To be called in the transaction of the
 * work. A result that says of nothing changed is not kept, and the step may be tried again; any other is announced. Without a step the
 * work is done as it is.
 */
export type Once = <T>(origin: Origin, work: () => T, hasChanged: (result: T) => boolean) => T

export function createOnce(db: SqliteDb, signal: EventSignal): Once {
  const accountCode = sql.placeholder('accountCode')
  const key = sql.placeholder('key')
  const number = sql.placeholder('number')
  const find = prepareRows(db, {
    query: db
      .select({ result: steps.result })
      .from(steps)
      .where(and(eq(steps.accountCode, accountCode), eq(steps.key, key), eq(steps.number, number))),
    read: ([result]: [string]) => result,
  })
  const insert = prepareChange(
    db,
    db.insert(steps).values({ accountCode, key, number, result: sql.placeholder('result') }),
  )
  return (origin, work, hasChanged) => {
    const result = make(origin, work, hasChanged)
    if (hasChanged(result)) signal.announce(origin.accountCode)
    return result
  }

  function make<T>({ accountCode, step }: Origin, work: () => T, hasChanged: (result: T) => boolean): T {
    if (step === null) return work()
    const { key, number } = step
    const before = find.get({ accountCode, key, number })
    if (before !== undefined) return JSON.parse(before) as T
    const result = work()
    if (hasChanged(result)) insert({ accountCode, key, number, result: JSON.stringify(result) })
    return result
  }
}
