import type { KeptRun, RunFilter, RunStore } from './run-store.ts'

/** The runs of an account that are kept (contract, section 7). */
export interface Runs {
  /** The run with this GUID; null if there is none. */
  find(accountCode: string, runId: string): Promise<KeptRun | null>
  list: RunStore['list']
}

// Ids of runs and transactions. Other texts name none, and a database may refuse to compare them.
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function createRuns(store: RunStore): Runs {
  return {
    async find(accountCode, runId) {
      if (!guid.test(runId)) return null
      const [run] = await store.findByRunIds(accountCode, [runId])
      return run ?? null
    },
    list: async (accountCode, filter, before, limit) =>
      canMatch(filter) ? store.list(accountCode, filter, before, limit) : [],
  }
}

function canMatch({ functionVersion, txnId }: RunFilter): boolean {
  const isVersion = functionVersion === null || /^[0-9a-f]{64}$/.test(functionVersion)
  return isVersion && (txnId === null || guid.test(txnId))
}
