import { sql } from 'drizzle-orm'
import type { Dialect } from '../dialect.ts'
import { only, type Work } from '../work.ts'

const firstNumbers = { membership: 1, 'membership event': 1, 'created user': 2 ** 52 } as const

/**
 * Takes `count` numbers in a row, which the account is never given again, and gives the first of them. The counter's row is
 * locked until the commit, so numbers come in the order of the commits.
 */
export type TakeNumbers = (
  accountCode: string,
  name: keyof typeof firstNumbers,
  count?: number,
) => Work<number>

export function createTakeNumbers({ build, prepare, typed, tables: { counters } }: Dialect): TakeNumbers {
  const selection = { value: counters.value }
  // The counter keeps the last number that was taken.
  const take = build
    .insert(counters)
    .values({
      accountCode: sql.placeholder('accountCode'),
      name: sql.placeholder('name'),
      value: sql.placeholder('value'),
    })
    .onConflictDoUpdate({
      target: [counters.accountCode, counters.name],
      set: { value: sql`${counters.value} + ${typed(sql.placeholder('count'), 'integer')}` },
    })
    .returning(selection)
  const statement = prepare(take, selection)
  return function* takeNumbers(accountCode, name, count = 1) {
    const value = firstNumbers[name] + count - 1
    const last = yield* only(statement, { accountCode, name, value, count })
    return last.value - count + 1
  }
}
