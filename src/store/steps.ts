import { and, eq, sql } from 'drizzle-orm'
import type { Origin } from '../domain/store.ts'
import { type Dialect, placeholders } from './dialect.ts'
import { all, first, type Work } from './work.ts'

/** Changes of a request with an idempotency key. */
export interface Steps {
  /**
   * Does `work` once for each step; a second attempt gets the first result, as JSON keeps it. A result that changed
   * nothing is not kept. Without a step it only does the work.
   */
  doOnce<T>(origin: Origin, work: () => Work<T>, hasChanged: (result: T) => boolean): Work<T>
  /** The result of the origin's step, as JSON keeps it; undefined where the step was not made, or there is none. */
  find<T>(origin: Origin): Work<T | undefined>
}

export function createSteps(dialect: Dialect): Steps {
  const statements = prepareSteps(dialect)

  function* find<T>({ accountCode, step }: Origin): Work<T | undefined> {
    if (step === null) return undefined
    const before = yield* first(statements.find, { accountCode, ...step })
    return before && (JSON.parse(before.result) as T)
  }

  return {
    find,
    *doOnce(origin, work, hasChanged) {
      const { accountCode, step } = origin
      if (step === null) return yield* work()
      const id = { accountCode, ...step }
      // Another attempt at the same step holds this row until its commit, and then its result is in it.
      const taken = yield* first(statements.take, id)
      if (taken === undefined) {
        const before = yield* find<ReturnType<typeof work> extends Work<infer T> ? T : never>(origin)
        if (before !== undefined) return before
      }
      const result = yield* work()
      if (hasChanged(result)) yield* all(statements.keep, { ...id, result: JSON.stringify(result) })
      // SQLite commits it together with the changes of others, so nothing else removes it.
      else yield* all(statements.drop, id)
      return result
    },
  }
}

function prepareSteps({ build, prepare, tables: { idempotencySteps: steps } }: Dialect) {
  const { accountCode, key, number, result } = placeholders('accountCode', 'key', 'number', 'result')
  const isTheStep = and(eq(steps.accountCode, accountCode), eq(steps.key, key), eq(steps.number, number))
  const taken = { number: steps.number }
  const found = { result: steps.result }
  const take = build.insert(steps).values({ accountCode, key, number, result: '' }).onConflictDoNothing()
  const keep = build.update(steps).set({ result: sql`${result}` })
  return {
    take: prepare(take.returning(taken), taken),
    find: prepare(build.select(found).from(steps).where(isTheStep), found),
    keep: prepare(keep.where(isTheStep)),
    drop: prepare(build.delete(steps).where(isTheStep)),
  }
}
