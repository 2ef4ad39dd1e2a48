import type { Runner } from '../database.ts'
import type { Values } from '../dialect.ts'
import type { Step, Work } from '../work.ts'
import type { InTurn } from './connection/account-turns.ts'
import type { Bound } from './connection/bound.ts'
import { shares } from './connection/shares.ts'
import type { Transactions } from './connection/transactions.ts'

interface Dependencies {
  readonly transactions: Transactions
  readonly inTurn: InTurn
  readonly bound: Bound
}

export function createPostgresRunner({ transactions, inTurn, bound }: Dependencies): Runner {
  return {
    read: (statement, values) => bound(readOwner(values), async () => statement.run(values)),
    write: (accountCode, work, { hasChanged } = {}) =>
      bound(accountCode, () =>
        inTurn(accountCode ?? shares.gateway, () =>
          transactions.write(() => run(work(), runStep), hasChanged),
        ),
      ),
    writeEach: (accountCode, work) => bound(accountCode, () => runEach(transactions, work())),
  }
}

/** Runs each statement in a transaction of its own, inside a call of an account. */
export function runEach<T>({ retry }: Transactions, work: Work<T>): Promise<T> {
  return run(work, step => retry(() => runStep(step)))
}

function readOwner({ accountCode }: Values): string | null {
  return typeof accountCode === 'string' ? accountCode : null
}

const runStep = async ({ statement, values }: Step) => statement.run(values)

async function run<T>(work: Work<T>, runStep: (step: Step) => Promise<readonly unknown[]>): Promise<T> {
  let step = work.next([])
  while (step.done !== true) step = work.next(await runStep(step.value))
  return step.value
}
