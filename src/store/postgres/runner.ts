import type { Runner } from '../database.ts'
import type { Values } from '../dialect.ts'
import { Refusal, type Work } from '../work.ts'
import type { Calls } from './connection/calls.ts'
import { createChangeTogether } from './connection/change-together.ts'
import type { Client } from './connection/client.ts'
import type { PoolClient, Transaction } from './connection/pool.ts'
import { shares } from './connection/shares.ts'
import { isLockTimeout, isWorthRetrying } from './connection/sql-state.ts'

// Maximum number of attempts. Another request may take a pair between the look-up and the change, each time.
const maxAttempts = 10
// Time after which work that waited too long for a lock is not done again. A call is given up after 5 s, and could not
// say then that nothing was changed.
const maxLockWaitsMs = 3_500

export function createPostgresRunner(calls: Calls): Runner {
  const { read, write, withAccountSlot } = calls
  return {
    read: (statement, values) => read(readOwner(values), async client => statement.run(values, client)),
    write: (owner, work, { hasChanged } = {}) =>
      write(owner, client =>
        withAccountSlot(owner ?? shares.gateway, () => transact(client, work, hasChanged)),
      ),
    writeEach: (owner, work, { usesAccountSlot = false } = {}) =>
      write(owner, client => {
        const change = () => runEach(client, work())
        return usesAccountSlot ? withAccountSlot(owner ?? shares.gateway, change) : change()
      }),
    together: ({ work, isOneStatement, keyOf, measure }) =>
      createChangeTogether({
        calls,
        keyOf,
        measure,
        changeAll: async (client, accountCode, changes) => {
          const all = () => work(accountCode, changes)
          const results = await (isOneStatement(changes)
            ? runEach(client, all())
            : transact(client, all, done => !(done instanceof Refusal)))
          return results instanceof Refusal ? null : results
        },
      }),
  }
}

function transact<T>(
  client: PoolClient,
  work: () => Work<T>,
  hasChanged?: (result: T) => boolean,
): Promise<T> {
  return retry(() => client.begin(transaction => run(transaction, work()), hasChanged))
}

/** Runs each statement in a transaction of its own. */
export function runEach<T>(client: Client, work: Work<T>): Promise<T> {
  const each: Client = { query: (...statement) => retry(() => client.query(...statement)) }
  return run({ ...each, unread: each }, work)
}

/** Runs `work` again after a deadlock, and after a wait for a lock that was too long. */
export async function retry<T>(work: () => Promise<T>): Promise<T> {
  const beganAt = performance.now()
  const isLate = () => performance.now() - beganAt > maxLockWaitsMs
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === maxAttempts || !isWorthRetrying(error)) throw error
      if (isLockTimeout(error) && isLate()) throw error
    }
  }
}

function readOwner({ accountCode }: Values): string | null {
  return typeof accountCode === 'string' ? accountCode : null
}

async function run<T>(client: Transaction, work: Work<T>): Promise<T> {
  let step = work.next([])
  while (step.done !== true) {
    const { statement, values, isUnread = false } = step.value
    step = work.next(await statement.run(values, isUnread ? client.unread : client))
  }
  return step.value
}
