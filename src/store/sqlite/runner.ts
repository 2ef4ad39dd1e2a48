import type { Runner, TimeCall } from '../database.ts'
import { Refusal, type Work } from '../work.ts'
import { createChangeTogether } from './connection/change-together.ts'
import type { Transactions } from './connection/transactions.ts'

export function createSqliteRunner(transactions: Transactions, time: TimeCall): Runner {
  const write: Runner['write'] = (_owner, work, { hasChanged } = {}) =>
    time('write', () => transactions.write(() => run(work()), hasChanged))
  return {
    read: (statement, values) => time('read', async () => statement.run(values)),
    write,
    // The lock is held only while the statements run, so `writeEach` can be the same as `write`.
    writeEach: write,
    together({ work, keyOf, measure }) {
      const makeChange = createChangeTogether({
        transactions,
        keyOf,
        measure,
        changeAll(accountCode, changes) {
          const results = run(work(accountCode, changes))
          // The work may have written before, which only a failure undoes.
          if (results instanceof Refusal) throw new Error('Changes were refused together.')
          return results
        },
      })
      return (accountCode, change) => time('write', () => makeChange(accountCode, change))
    },
  }
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
