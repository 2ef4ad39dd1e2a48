import { RostrumError } from '../../../errors.ts'
import type { ChangesTogether, ChangeTogether } from '../../database.ts'
import type { Transactions } from './transactions.ts'

// Maximum number of changes that are made as one, and maximum bytes of them, because nothing else runs meanwhile.
const maxChanges = 64
const maxBatchBytes = 64 * 2 ** 10

interface Dependencies<Change, Result> extends Pick<ChangesTogether<Change, Result>, 'keyOf' | 'measure'> {
  readonly transactions: Transactions
  /** Makes the changes of an account. A result is null for a change that was not made. Throws if a statement fails. */
  readonly changeAll: (accountCode: string, changes: readonly Change[]) => readonly (Result | null)[]
}

interface Batch<Change, Result> {
  readonly changes: Change[]
  readonly keys: Set<unknown>
  bytes: number
  readonly results: Promise<readonly (Result | null)[]>
}

/**
 * Makes the changes of an account that come before a commit as one piece of its work, so that they share statements. If
 * a statement fails, all results are null, and each caller makes its change alone. Rejects if the commit fails.
 */
export function createChangeTogether<Change, Result>({
  transactions,
  keyOf,
  measure,
  changeAll,
}: Dependencies<Change, Result>): ChangeTogether<Change, Result> {
  // The batches that wait for their commit.
  const batches = new Map<string, Batch<Change, Result>>()

  function startBatch(accountCode: string): Batch<Change, Result> {
    const changes: Change[] = []
    const close = () => {
      if (batches.get(accountCode) === batch) batches.delete(accountCode)
    }
    const work = () => {
      close()
      return changeAll(accountCode, changes)
    }
    const results = transactions.write(work, made => made.some(result => result !== null))
    // A transaction that does not begin rejects the batch without its work.
    results.catch(close)
    const batch = { changes, keys: new Set(), bytes: 0, results }
    batches.set(accountCode, batch)
    return batch
  }

  function findBatch(accountCode: string, key: unknown, bytes: number): Batch<Change, Result> {
    const batch = batches.get(accountCode)
    const hasRoom =
      batch !== undefined &&
      batch.changes.length < maxChanges &&
      batch.bytes + bytes <= maxBatchBytes &&
      !batch.keys.has(key)
    if (!hasRoom) return startBatch(accountCode)
    transactions.noteChange()
    return batch
  }

  return async (accountCode, change) => {
    const key = keyOf(change)
    const bytes = measure(change)
    const batch = findBatch(accountCode, key, bytes)
    const index = batch.changes.push(change) - 1
    batch.keys.add(key)
    batch.bytes += bytes
    try {
      const results = await batch.results
      return results[index] ?? null
    } catch (error) {
      // The disk or the database file failed. Each change alone would meet the same.
      if (error instanceof RostrumError) throw error
      return null
    }
  }
}
