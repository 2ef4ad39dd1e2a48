import { AsyncLocalStorage } from 'node:async_hooks'
import type { Client } from './client.ts'
import type { Pool } from './pool.ts'
import { isWorthRetrying } from './sql-state.ts'

// Others may take a pair between the look at it and the change, each time.
const maxAttempts = 10

/** The one place where writes are grouped into transactions of the PostgreSQL database. */
export interface Transactions {
  /**
   * The client to prepare statements on, once and not once a transaction. Inside `work` it uses the connection of that
   * transaction, elsewhere any of the pool, in the turn of the caller.
   */
  readonly client: Client
  /** Makes the call for this account or share: its statements and transactions wait for its turn. */
  runAs<T>(owner: string, call: () => Promise<T>): Promise<T>
  /**
   * Runs `work` in a transaction, again after a deadlock. Resolves with its result once that is committed; undone when
   * `work` rejects or `keep` refuses its result.
   */
  write<T>(work: () => Promise<T>, keep?: (result: T) => boolean): Promise<T>
  /** Runs `work` again after a deadlock: for a statement that is a transaction of its own. */
  retry<T>(work: () => Promise<T>): Promise<T>
}

interface Running {
  /** An account or a share. */
  readonly owner: string
  readonly client: Client
}

export function createTransactions(pool: Pool): Transactions {
  const current = new AsyncLocalStorage<Running>()
  const running = () => {
    const found = current.getStore()
    if (found === undefined) throw new Error('A statement came outside a call of the store.')
    return found
  }
  return {
    client: { query: (text, values) => running().client.query(text, values) },
    runAs: (owner, call) => current.run({ owner, client: pool.of(owner) }, call),
    write(work, keep) {
      const { owner } = running()
      return retry(() => pool.of(owner).begin(client => current.run({ owner, client }, work), keep))
    },
    retry,
  }
}

async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === maxAttempts || !isWorthRetrying(error)) throw error
    }
  }
}
