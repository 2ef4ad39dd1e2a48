import type { FunctionStore, RunnableFunction } from '../functions/function-store.ts'
import type { ClaimedRun } from './queue-store.ts'

type Live = Promise<RunnableFunction | null>

/** Finds the live version of a run's function. The answer is not older than `since`, a time of `performance.now()`. */
export type FindLiveSince = (since: number, run: Pick<ClaimedRun, 'accountCode' | 'functionId'>) => Live

const maxLookUps = 100

/**
 * An attempt begins with its claim, so runs that were claimed together share a look-up that came after the claim. A run
 * that was claimed later gets a new look-up.
 */
export function createLiveLookUps(findLive: FunctionStore['findLive']): FindLiveSince {
  const lookUps = new Map<string, { readonly askedAt: number; readonly live: Live }>()
  return (since, { accountCode, functionId }) => {
    const key = `${accountCode} ${functionId}`
    const last = lookUps.get(key)
    if (last !== undefined && last.askedAt >= since) return last.live
    if (lookUps.size >= maxLookUps) lookUps.clear()
    const live = findLive(accountCode, functionId)
    lookUps.set(key, { askedAt: performance.now(), live })
    live.catch(() => lookUps.delete(key))
    return live
  }
}
