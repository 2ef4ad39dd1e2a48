import { AsyncLocalStorage } from 'node:async_hooks'
import type { Client } from './client.ts'
import type { Pool } from './pool.ts'
import { isWorthRetrying } from './sql-state.ts'

// Others may take a pair between the look at it and the change, each time.
const maxAttempts = 10

/** The one place where writes are grouped into transactions of the PostgreSQL database. */
export interface Transactions {
  /**
   * The client to prepare statements on: one run inside `work` goes to the connection of that transaction, one run elsewhere to any of
   * the pool, in the turn of whoever calls. So a statement is built once and not once a transaction.
   */
  readonly client: Client
  /** Does the call of this account or share: its statements and transactions wait for its turn. */
  runAs<T>(owner: string, call: () => Promise<T>): Promise<T>
  /**
   * Runs `work` in a transaction. Resolves with its result once that is committed; undone when `work` rejects or `keep`
   * says that its result leaves nothing to keep. `work` runs again after a deadlock.
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
    client: {
      query: (text, values) => running().client.query(text, values),
      queryArrays: (text, values) => running().client.queryArrays(text, values),
    },
    runAs: (owner, call) => current.run({ owner, client: pool.of(owner) }, call),
    write: (work, keep = () => true) => retry(() => runOnce(work, keep)),
    retry,
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

  async function runOnce<T>(work: () => Promise<T>, keep: (result: T) => boolean): Promise<T> {
    let undone: { readonly result: T } | undefined
    const { owner } = running()
    const committed = pool.of(owner).begin(async client => {
      const result = await current.run({ owner, client }, work)
      if (keep(result)) return { result }
      undone = { result }
      throw new Error('Nothing to keep.')
    })
    try {
      return (await committed).result
    } catch (error) {
      if (undone === undefined) throw error
      return undone.result
    }
  }
}
