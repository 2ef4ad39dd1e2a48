import { createChange } from '../create-change.ts'
import type { Database } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import type { Work } from '../work.ts'
import type { EventSignal } from './connection/event-signal.ts'
import type { Transactions } from './connection/transactions.ts'

interface Dependencies {
  readonly dialect: Dialect
  readonly transactions: Transactions
  readonly signal: EventSignal
}

export function createSqliteDatabase({ dialect, transactions, signal }: Dependencies): Database {
  const write: Database['write'] = (_accountCode, work, { hasChanged } = {}) =>
    transactions.write(() => run(work()), hasChanged)
  return {
    ...dialect,
    read: async (statement, values) => statement.run(values),
    write,
    change: createChange({ dialect, write, announce: signal.announce }),
  }
}

// To its end in one go: nothing else runs on the connection meanwhile.
function run<T>(work: Work<T>): T {
  let step = work.next([])
  while (step.done !== true) {
    const { statement, values } = step.value
    step = work.next(statement.run(values) as readonly unknown[])
  }
  return step.value
}
