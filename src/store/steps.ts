import { sql } from 'drizzle-orm'
import type { Origin } from '../domain/port.ts'
import { readStored } from '../json/read-stored.ts'
import { type Dialect, placeholders } from './dialect.ts'
import { first, unread, type Work } from './work.ts'

/** Changes of a request with an idempotency key. */
export interface Steps {
  /**
   * Does `work` once for each step; a second attempt gets the first result, as JSON preserves it. A result that changed
   * nothing is not stored. Without a step, it just does the work.
   */
  doOnce<T>(origin: Origin, work: () => Work<T>, hasChanged: (result: T) => boolean): Work<T>
  /** The result of the origin's step, as JSON preserves it. Undefined if there is no step, or it was not made. */
  find<T>(origin: Origin): Work<T | undefined>
}

export function createSteps(dialect: Dialect): Steps {
  const statements = prepareSteps(dialect)

  function* find<T>({ accountCode, step }: Origin): Work<T | undefined> {
    if (step === null) return undefined
    const before = yield* first(statements.find, { accountCode, ...step })
    return (
      before && readStored<T>(before.result, { table: 'idempotency_steps', column: 'result', id: step.key })
    )
  }

  return {
    find,
    *doOnce(origin, work, hasChanged) {
      const { accountCode, step } = origin
      if (step === null) return yield* work()
      const id = { accountCode, ...step }
      // Another attempt at the same step locks this row until its commit. Then the row has its result.
      const taken = yield* first(statements.take, id)
      if (taken === undefined) {
        const before = yield* find<ReturnType<typeof work> extends Work<infer T> ? T : never>(origin)
        if (before !== undefined) return before
      }
      const result = yield* work()
      if (hasChanged(result)) yield* unread(statements.keep, { ...id, result: JSON.stringify(result) })
      // SQLite commits the step together with changes of others, so no rollback removes it.
      else yield* unread(statements.drop, id)
      return result
    },
  }
}

function prepareSteps({ prepare, tables: { idempotencySteps: steps } }: Dialect) {
  const { accountCode, key, number, result } = placeholders('accountCode', 'key', 'number', 'result')
  const isTheStep = sql`account_code = ${accountCode} and key = ${key} and number = ${number}`
  return {
    take: prepare(
      sql`
        insert into idempotency_steps (account_code, key, number, result)
        values (${accountCode}, ${key}, ${number}, '') on conflict do nothing returning number`,
      { number: steps.number },
    ),
    find: prepare(sql`select result from idempotency_steps where ${isTheStep}`, { result: steps.result }),
    keep: prepare(sql`update idempotency_steps set result = ${result} where ${isTheStep}`),
    drop: prepare(sql`delete from idempotency_steps where ${isTheStep}`),
  }
}
