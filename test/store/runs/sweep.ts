import { setImmediate as nextTurn } from 'node:timers/promises'
import { createSweeps, type RunRetention } from '../../../src/domain/expired-rows.ts'
import type { Store } from '../../../src/domain/store.ts'

export const keepsAll: RunRetention = { days: 30, count: 1_000, bytes: 2 ** 30, inputDays: 7 }

/** Makes every sweep of a gateway once. */
export async function sweep(store: Store, runs: RunRetention): Promise<void> {
  const { signal } = new AbortController()
  for (const one of createSweeps(store, { runs, eventMs: null }))
    while (!(await one.delete(signal))) await nextTurn()
}
