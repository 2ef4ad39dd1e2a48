import { sql } from 'drizzle-orm'
import { type Dialect, placeholders } from '../dialect.ts'
import { only, type Work } from '../work.ts'

const firstNumbers = {
  membership: 1,
  'membership event': 1,
  'created user': 2 ** 52,
  function: 1,
  'function version': 1,
} as const

/**
 * Takes `count` consecutive numbers, which the account never gets again, and gives the first. The counter's row is
 * locked until the commit, so numbers come in the order of the commits.
 */
export type TakeNumbers = (
  accountCode: string,
  name: keyof typeof firstNumbers,
  count?: number,
) => Work<number>

export function createTakeNumbers({ prepare, typed, tables }: Dialect): TakeNumbers {
  const { accountCode, name, value, count } = placeholders('accountCode', 'name', 'value', 'count')
  // The counter keeps the last number that was taken.
  const take = prepare(
    sql`
      insert into counters (account_code, name, value) values (${accountCode}, ${name}, ${value})
      on conflict (account_code, name) do update set value = counters.value + ${typed(count, 'integer')}
      returning value`,
    { value: tables.counters.value },
  )
  return function* takeNumbers(accountCode, name, count = 1) {
    const value = firstNumbers[name] + count - 1
    const last = yield* only(take, { accountCode, name, value, count })
    return last.value - count + 1
  }
}
