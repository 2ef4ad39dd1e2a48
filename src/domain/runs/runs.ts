import { notFound } from '../../errors.ts'
import { isHash } from '../functions/functions.ts'
import type { HeldRuns } from './hold-runs.ts'
import { prepareReplay, type Replay, type ReplayParts, type ReplayScript } from './prepare-replay.ts'
import type { KeptRun, RunFilter, RunStore } from './run-store.ts'

/** The runs of an account that are kept (contract, section 7). */
export interface Runs {
  /** The run with this GUID; null if there is none. */
  find(accountCode: string, runId: string): Promise<KeptRun | null>
  /** Up to `limit` runs with ids before this one (null: from the newest), the newest first. */
  list(request: RunSearch): Promise<KeptRun[]>
  /** Rejects as `prepareReplay` does, and with `NOT_FOUND` for an unknown run. */
  prepareReplay(accountCode: string, runId: string, replay: Replay): Promise<ReplayScript>
  /** Keeps a run so that it can be waited for. */
  hold(): HeldRuns
}

export interface RunSearch {
  readonly accountCode: string
  readonly filter: RunFilter
  readonly before: number | null
  readonly limit: number
  /** Ends the search. */
  readonly signal: AbortSignal
}

interface Dependencies extends Omit<ReplayParts, 'store'> {
  readonly store: RunStore
  /** Resolves when it is the account's turn to use the event loop. */
  waitForTurn(accountCode: string): Promise<void>
  hold(): HeldRuns
}

// Ids of runs and transactions. Other texts name none, and a database may refuse to compare them.
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function createRuns(dependencies: Dependencies): Runs {
  const { store, hold, waitForTurn } = dependencies

  async function find(accountCode: string, runId: string): Promise<KeptRun | null> {
    if (!guid.test(runId)) return null
    const [run] = await store.findByRunIds(accountCode, [runId])
    return run ?? null
  }

  return {
    find,
    hold,
    async prepareReplay(accountCode, runId, replay) {
      const run = await find(accountCode, runId)
      if (run === null) throw notFound('run', runId.slice(0, 40))
      return prepareReplay(dependencies, accountCode, { ...replay, run })
    },
    // Each look is a turn of its own: SQLite reads while the event loop waits, and an operation may have many searches.
    async list({ accountCode, filter, before, limit, signal }) {
      const found: KeptRun[] = []
      let from = before
      let isDone = !canMatch(filter)
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

function canMatch({ functionVersion, txnId }: RunFilter): boolean {
  const isVersion = functionVersion === null || isHash(functionVersion)
  return isVersion && (txnId === null || guid.test(txnId))
}
