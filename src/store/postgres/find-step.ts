import { and, eq, sql } from 'drizzle-orm'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { Origin } from '../../domain/store.ts'
import { idempotencySteps as steps } from './tables.ts'

/** The result of the origin's step as JSON keeps it; undefined where the step was not made, or there is none. */
export type FindStep = <T>(origin: Origin) => Promise<T | undefined>

export function createFindStep(db: PgRemoteDatabase): FindStep {
  const find = db
    .select({ result: steps.result })
    .from(steps)
    .where(
      and(
        eq(steps.accountCode, sql.placeholder('accountCode')),
        eq(steps.key, sql.placeholder('key')),
        eq(steps.number, sql.placeholder('number')),
      ),
    )
    .prepare('find_step')
  return async <T>({ accountCode, step }: Origin): Promise<T | undefined> => {
    if (step === null) return undefined
    const [before] = await find.execute({ accountCode, ...step })
    return before && (JSON.parse(before.result) as T)
  }
}
