import { notFound } from '../../errors.ts'
import { isGuid } from '../../guid.ts'
import type { Asking, Scripts } from '../scripts/script.ts'
import type { DeferredRuns } from './deferred-runs.ts'
import { narrowFilter } from './narrow-filter.ts'
import { prepareReplay, type Replay, type ReplayParts } from './prepare-replay.ts'
import { createRunStats, type RunStats, type StatsRequest } from './run-stats.ts'
import type { RunFilter, RunStore, StoredRun } from './run-store.ts'

/** The stored runs of an account (contract, section 7). */
export interface Runs {
  /** Up to `limit` runs with ids before this one (null: from the newest), the newest first. */
  list(request: RunSearch): Promise<StoredRun[]>
  /** Figures about the runs of the last hour. */
  stats(request: StatsRequest): Promise<RunStats>
  /**
   * Runs a stored input again, and resolves with the new run once it has ended and is stored; null without one. Rejects
   * as `prepareReplay` and `Scripts.run` do, and with `NOT_FOUND` for an unknown run.
   */
  replay(asking: Asking, runId: string, replay: Replay): Promise<StoredRun | null>
}

export interface RunSearch {
  readonly accountCode: string
  readonly filter: RunFilter
  /** Finds a run id, a transaction or a case id exactly; else the beginning of a name. Null does not filter. */
  readonly text: string | null
  readonly before: number | null
  readonly limit: number
  /** Ends the search. */
  readonly signal: AbortSignal
}

interface Dependencies extends Omit<ReplayParts, 'store'> {
  readonly store: RunStore
  /** Resolves when it is the account's turn to use the event loop. */
  waitForTurn(accountCode: string): Promise<void>
  readonly scripts: Scripts
  readonly deferRuns: () => DeferredRuns
}

export function createRuns(dependencies: Dependencies): Runs {
  const { store, scripts, deferRuns, waitForTurn } = dependencies

  /** The run with this GUID; null if there is none. */
  async function find(accountCode: string, runId: string): Promise<StoredRun | null> {
    if (!isGuid(runId)) return null
    const [run] = await store.findByRunIds(accountCode, [runId])
    return run ?? null
  }

  return {
    stats: createRunStats({ store, waitForTurn }),
    async replay(asking, runId, replay) {
      const { caller } = asking
      const run = await find(caller.accountCode, runId)
      if (run === null) throw notFound('run', runId.slice(0, 40))
      const script = await prepareReplay(dependencies, caller, { ...replay, run })
      const recorder = deferRuns()
      const execution = await scripts.run(script, asking, { recorder }).finally(async () => {
        replay.work.pause()
        recorder.keep()
        await recorder.whenKept()
      })
      return find(caller.accountCode, execution.id)
    },
    // Each look is a turn of its own: SQLite reads while the event loop waits, and an operation may have many searches.
    async list({ accountCode, filter: given, text, before, limit, signal }) {
      const found: StoredRun[] = []
      if (text !== null) await waitForTurn(accountCode)
      const filter = await narrowFilter({ store, accountCode, filter: given, text })
      if (filter === null) return found
      let from = before
      let isDone = false
      while (!isDone) {
        await waitForTurn(accountCode)
        signal.throwIfAborted()
        const { runs, next } = await store.look(accountCode, filter, from, limit - found.length)
        found.push(...runs)
        isDone = next === null || found.length === limit
        from = next
      }
      return found
    },
  }
}
