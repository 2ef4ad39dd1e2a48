import { RostrumError } from '../../errors.ts'
import type { HeldRuns } from './hold-runs.ts'
import { prepareReplay, type Replay, type ReplayParts, type ReplayScript } from './prepare-replay.ts'
import type { KeptRun, RunFilter, RunStore } from './run-store.ts'

/** The runs of an account that are kept (contract, section 7). */
export interface Runs {
  /** The run with this GUID; null if there is none. */
  find(accountCode: string, runId: string): Promise<KeptRun | null>
  list: RunStore['list']
  /** Rejects as `prepareReplay` does, and with `NOT_FOUND` for an unknown run. */
  prepareReplay(accountCode: string, runId: string, replay: Replay): Promise<ReplayScript>
  /** Keeps a run so that it can be waited for. */
  hold(): HeldRuns
}

interface Dependencies extends Omit<ReplayParts, 'store'> {
  readonly store: RunStore
  hold(): HeldRuns
}

// Ids of runs and transactions. Other texts name none, and a database may refuse to compare them.
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function createRuns(dependencies: Dependencies): Runs {
  const { store, hold } = dependencies

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
      if (run === null) throw new RostrumError('NOT_FOUND', `There is no run \`${runId.slice(0, 40)}\`.`)
      return prepareReplay(dependencies, accountCode, { ...replay, run })
    },
    list: async (accountCode, filter, before, limit) =>
      canMatch(filter) ? store.list(accountCode, filter, before, limit) : [],
  }
}

function canMatch({ functionVersion, txnId }: RunFilter): boolean {
  const isVersion = functionVersion === null || /^[0-9a-f]{64}$/.test(functionVersion)
  return isVersion && (txnId === null || guid.test(txnId))
}
