import { type SQL, sql } from 'drizzle-orm'
import type { SavedTriggerName } from '../../domain/scripts/trigger-kinds.ts'
import { insertInto } from '../columns.ts'
import type { Dialect } from '../dialect.ts'
import { only, type Work } from '../work.ts'

/** What has numbers of its own in each account. */
type Numbered =
  | RaisedCounter
  | SavedTriggerName
  | 'created user'
  | 'function'
  | 'function version'
  | 'webhook secret'

// Below it are the ids of users that a credential names.
const firstCreatedUser = 2 ** 52

/**
 * Takes `count` consecutive numbers, which the account never gets again, and returns the first. The counter's row is
 * locked until the commit, so numbers come in the order of the commits.
 */
export type TakeNumbers = (accountCode: string, name: Numbered, count?: number) => Work<number>

type RaisedCounter =
  | 'membership'
  | 'membership event'
  | 'case'
  | 'case event'
  | 'run'
  | 'run byte'
  | 'stored byte'

/** Takes `count` numbers in a statement of several parts, once if `from` returns a row. The first one is 1. */
export const raiseCounter = (name: RaisedCounter, count: SQL, from: SQL = sql`where true`) => sql`
  insert into counters (account_code, name, value)
  select ${sql.placeholder('accountCode')}, ${sql.raw(`'${name}'`)}, ${count} ${from}
  on conflict (account_code, name) do update set value = counters.value + excluded.value`

/**
 * Raises two counters in a statement of several parts, in this order. `from` says what their counts are read from, such
 * as `from part`.
 */
export const raiseCounters = (
  [first, second]: readonly [CounterRaise, CounterRaise],
  from: SQL = sql``,
) => sql`
  insert into counters (account_code, name, value)
  select ${sql.placeholder('accountCode')}, raised.name, raised.value
  from (
    select '${sql.raw(first.name)}' as name, ${first.count} as value ${from}
    union all select '${sql.raw(second.name)}', ${second.count} ${from}
  ) as raised
  where true
  on conflict (account_code, name) do update set value = counters.value + excluded.value`

interface CounterRaise {
  readonly name: RaisedCounter
  readonly count: SQL
}

export function createTakeNumbers({ prepare, typed, tables }: Dialect): TakeNumbers {
  const count = typed(sql.placeholder('count'), 'integer')
  // The counter keeps the last number that was taken.
  const take = prepare(
    sql`
      ${insertInto(tables.counters, { omit: [] })}
      on conflict (account_code, name) do update set value = counters.value + ${count}
      returning value`,
    { value: tables.counters.value },
  )
  return function* takeNumbers(accountCode, name, count = 1) {
    const first = name === 'created user' ? firstCreatedUser : 1
    const value = first + count - 1
    const last = yield* only(take, { accountCode, name, value, count })
    return last.value - count + 1
  }
}
