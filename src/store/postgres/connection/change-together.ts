import { setImmediate as nextTurn } from 'node:timers/promises'
import { endBefore } from '../../../signals/end-before.ts'
import type { ChangesTogether, ChangeTogether } from '../../database.ts'
import { maxWaitMs, othersTookLong } from './account-slots.ts'
import type { Calls } from './calls.ts'
import { nothingChanged } from './explain-failure.ts'
import type { PoolClient } from './pool.ts'
import { isDataError } from './sql-state.ts'

// Maximum number of changes in one transaction, and maximum bytes of them.
const maxChanges = 50
const maxBatchBytes = 2 ** 20
// Changes of more bytes have transactions of their own: several of them in one are slower than side by side.
const maxSharedBytes = 32 * 2 ** 10

interface WaitingChange<Change, Result> {
  readonly change: Change
  readonly sent: PromiseWithResolvers<void>
  readonly result: PromiseWithResolvers<Result | null>
}

interface Dependencies<Change, Result> extends Pick<ChangesTogether<Change, Result>, 'keyOf' | 'measure'> {
  readonly calls: Calls
  /** Makes the changes of an account, in one transaction. Null if it undid all of them. */
  readonly changeAll: (
    client: PoolClient,
    accountCode: string,
    changes: readonly Change[],
  ) => Promise<readonly (Result | null)[] | null>
}

/**
 * Makes one transaction of the changes of an account that come while its last one runs. Changes of an account wait for
 * its counters until a commit is on disk, so only sharing allows more changes a second than commits. A change without
 * others is sent at the end of the turn of the event loop.
 */
export function createChangeTogether<Change, Result>({
  calls,
  keyOf,
  measure,
  changeAll,
}: Dependencies<Change, Result>): ChangeTogether<Change, Result> {
  type Waiting = WaitingChange<Change, Result>
  const accounts = new Map<string, Set<Waiting>>()

  function takeBatch(waiting: Set<Waiting>): readonly Waiting[] {
    const keys = new Set<unknown>()
    const batch: Waiting[] = []
    let bytes = 0
    for (const each of waiting) {
      const key = keyOf(each.change)
      bytes += measure(each.change)
      if (bytes > maxBatchBytes || keys.has(key)) break
      keys.add(key)
      batch.push(each)
      waiting.delete(each)
      if (batch.length === maxChanges) break
    }
    return batch
  }

  // If PostgreSQL refuses the values of one change, it has undone all, and each is made alone.
  async function changeUnlessRefused(client: PoolClient, accountCode: string, changes: readonly Change[]) {
    try {
      return await changeAll(client, accountCode, changes)
    } catch (error) {
      if (isDataError(error)) return null
      throw error
    }
  }

  async function send(client: PoolClient, accountCode: string, batch: readonly Waiting[]): Promise<void> {
    for (const { sent } of batch) sent.resolve()
    const changes = batch.map(({ change }) => change)
    try {
      const results = await calls.withSharedSlot(accountCode, () =>
        changeUnlessRefused(client, accountCode, changes),
      )
      for (const [index, { result }] of batch.entries()) result.resolve(results?.[index] ?? null)
    } catch (error) {
      for (const { result } of batch) result.reject(error)
    }
  }

  async function sendAll(client: PoolClient, accountCode: string, waiting: Set<Waiting>): Promise<void> {
    await nextTurn()
    while (waiting.size > 0) await send(client, accountCode, takeBatch(waiting))
    accounts.delete(accountCode)
  }

  async function changeInBatch(client: PoolClient, accountCode: string, change: Change) {
    const known = accounts.get(accountCode)
    const waiting = known ?? new Set<Waiting>()
    const each: Waiting = { change, sent: Promise.withResolvers(), result: Promise.withResolvers() }
    waiting.add(each)
    if (known === undefined) {
      accounts.set(accountCode, waiting)
      void sendAll(client, accountCode, waiting)
    }
    const onEnd = () => waiting.delete(each)
    const error = () => nothingChanged(othersTookLong)
    await endBefore(each.sent.promise, { after: { ms: maxWaitMs, error }, onEnd })
    return each.result.promise
  }

  return (accountCode, change) =>
    calls.write(accountCode, async client => {
      if (measure(change) <= maxSharedBytes) return changeInBatch(client, accountCode, change)
      const results = await calls.withAccountSlot(accountCode, () =>
        changeUnlessRefused(client, accountCode, [change]),
      )
      return results?.[0] ?? null
    })
}
