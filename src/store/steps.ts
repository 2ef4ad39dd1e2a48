import { and, eq, sql } from 'drizzle-orm'
import type { Origin } from '../domain/store.ts'
import type { Database } from './database.ts'
import type { Dialect } from './dialect.ts'
import { all, first, type Work } from './work.ts'

/**
 * Does `work` once for each step of a request with an idempotency key; a second attempt gets the first result, as JSON keeps
 * it. A result that changed nothing is not kept. Without a step the work is simply done.
 */
export type DoOnce = <T>(origin: Origin, work: () => Work<T>, hasChanged: (result: T) => boolean) => Work<T>

export function createSteps(dialect: Dialect): DoOnce {
  const { take, find, keep, drop } = prepareSteps(dialect)
  return function* doOnce({ accountCode, step }, work, hasChanged) {
    if (step === null) return yield* work()
    const id = { accountCode, ...step }
    // Another attempt at the same step holds this row until its commit, and then its result is in it.
    const taken = yield* first(take, id)
    if (taken === undefined) {
      const before = yield* first(find, id)
      if (before !== undefined) return JSON.parse(before.result)
    }
    const result = yield* work()
    if (hasChanged(result)) yield* all(keep, { ...id, result: JSON.stringify(result) })
    // SQLite commits it together with the changes of others, so it is not undone by itself.
    else yield* all(drop, id)
    return result
  }
}

/** The result of the origin's step as JSON keeps it; undefined where the step was not made, or there is none. */
export type FindStep = <T>(origin: Origin) => Promise<T | undefined>

export function createFindStep(database: Database): FindStep {
  const { find } = prepareSteps(database)
  return async <T>({ accountCode, step }: Origin): Promise<T | undefined> => {
    if (step === null) return undefined
    const [before] = await database.read(find, { accountCode, ...step })
    return before && (JSON.parse(before.result) as T)
  }
}

function prepareSteps({ build, prepare, tables: { idempotencySteps: steps } }: Dialect) {
  const accountCode = sql.placeholder('accountCode')
  const key = sql.placeholder('key')
  const number = sql.placeholder('number')
  const isTheStep = and(eq(steps.accountCode, accountCode), eq(steps.key, key), eq(steps.number, number))
  const take = build
    .insert(steps)
    .values({ accountCode, key, number, result: '' })
    .onConflictDoNothing()
    .returning({ number: steps.number })
  const find = build.select({ result: steps.result }).from(steps).where(isTheStep)
  const keep = build
    .update(steps)
    .set({ result: sql`${sql.placeholder('result')}` })
    .where(isTheStep)
  return {
    take: prepare(take, { number: steps.number }),
    find: prepare(find, { result: steps.result }),
    keep: prepare(keep),
    drop: prepare(build.delete(steps).where(isTheStep)),
  }
}
