import { type SQL, sql } from 'drizzle-orm'
import type { PlainOrigin } from '../domain/port.ts'
import { readStored } from '../json/read-stored.ts'
import { type Dialect, placeholders } from './dialect.ts'
import type { Selection } from './tables/tables-of.ts'
import { first, unread, type Work } from './work.ts'

/** Changes of a request with an idempotency key. */
export interface Steps {
  /**
   * Does `work` once for each step; a second attempt gets the first result, as JSON preserves it. A result that changed
   * nothing is not stored. Without a step, it just does the work.
   */
  doOnce<T>(origin: PlainOrigin, work: () => Work<T>, hasChanged: (result: T) => boolean): Work<T>
  /** The result of the origin's step, as JSON preserves it. Undefined if there is no step, or it was not made. */
  find<T>(origin: PlainOrigin): Work<T | undefined>
}

export function createSteps(dialect: Dialect): Steps {
  const statements = prepareSteps(dialect)

  function* find<T>({ accountCode, step }: PlainOrigin): Work<T | undefined> {
    if (step === null) return undefined
    const before = yield* first(statements.find, { accountCode, ...step })
    return (
      before && readStored<T>(before.result, { table: 'idempotency_steps', column: 'result', id: step.key })
    )
  }

  return {
    find,
    *doOnce<T>(origin: PlainOrigin, work: () => Work<T>, hasChanged: (result: T) => boolean): Work<T> {
      const { accountCode, step } = origin
      if (step === null) return yield* work()
      const id = { accountCode, ...step }
      // Another attempt at the same step locks this row until its commit. Then the row has its result.
      const taken = yield* first(statements.take, id)
      if (taken === undefined) {
        const before = yield* find<T>(origin)
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

interface StepNames {
  readonly key: SQL
  readonly number: SQL
}

/** Parts of a chain that makes its change once for a step, for the values of `stepValues`. */
export function createStepParts({ typed, jsonOf }: Pick<Dialect, 'typed' | 'jsonOf'>) {
  const given = placeholders('accountCode', 'key', 'number')
  const ofChain: StepNames = { key: typed(given.key, 'text'), number: typed(given.number, 'integer') }
  return {
    /** The condition that the step was not made, or that there is none. */
    isOpen: sql`not exists (
      select 1 from idempotency_steps as step
      where step.account_code = ${given.accountCode} and step.key = ${ofChain.key} and step.number = ${ofChain.number}
    )`,
    /**
     * Stores each row of the part `rows`, which returns `selection`, as the result of the step that `key` and `number`
     * name. If `key` is null, there is no step.
     */
    insert: (rows: string, selection: Selection, { key, number } = ofChain) => sql`
      insert into idempotency_steps (account_code, key, number, result)
      select ${given.accountCode}, ${key}, ${number}, ${jsonOf(selection)}
      from ${sql.raw(rows)} where ${key} is not null`,
  }
}

/** Returns the values that the parts of a step need. */
export function stepValues({ step }: PlainOrigin) {
  return { key: step?.key ?? null, number: step?.number ?? null }
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
