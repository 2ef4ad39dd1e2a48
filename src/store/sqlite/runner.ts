import type { Runner } from '../database.ts'
import type { Work } from '../work.ts'
import type { Transactions } from './connection/transactions.ts'

export function createSqliteRunner(transactions: Transactions): Runner {
  const write: Runner['write'] = (_owner, work, { hasChanged } = {}) =>
    transactions.write(() => run(work()), hasChanged)
  // The lock is held only while the statements run, so `writeEach` can be the same as `write`.
  return { read: async (statement, values) => statement.run(values), write, writeEach: write, together: null }
}

// Runs the work synchronously, so that nothing else runs on the connection.
function run<T>(work: Work<T>): T {
  let step = work.next([])
  while (step.done !== true) {
    const { statement, values } = step.value
    step = work.next(statement.run(values) as readonly unknown[])
  }
  return step.value
}
