import { createChange } from '../create-change.ts'
import type { Database } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import type { Work } from '../work.ts'
import type { InTurn } from './connection/account-turns.ts'
import type { EventSignal } from './connection/event-signal.ts'
import type { Transactions } from './connection/transactions.ts'

interface Dependencies {
  readonly dialect: Dialect
  readonly transactions: Transactions
  readonly inTurn: InTurn
  readonly signal: EventSignal
}

export function createPostgresDatabase({ dialect, transactions, inTurn, signal }: Dependencies): Database {
  const write: Database['write'] = (accountCode, work, { hasChanged } = {}) =>
    inTurn(accountCode, () => transactions.write(() => run(work()), hasChanged))
  return {
    ...dialect,
    read: async (statement, values) => statement.run(values),
    write,
    change: createChange({ dialect, write, announce: signal.announce }),
  }
}

async function run<T>(work: Work<T>): Promise<T> {
  let step = work.next([])
  while (step.done !== true) {
    const { statement, values } = step.value
    step = work.next(await statement.run(values))
  }
  return step.value
}
