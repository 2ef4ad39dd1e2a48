import { setTimeout as sleep } from 'node:timers/promises'
import { atMostHourly } from '../at-most-hourly.ts'
import type { QueueStore } from './queue-store.ts'

/** Dead runs of an account, and the bytes of their inputs and options. The newest ones are kept. */
const maxDead = 10_000
const maxBytes = 2 ** 30
// Of one transaction: each has an input.
const maxAtOnce = 20
const pauseMs = 10
const dayMs = 86_400_000

export type DeadRuns = Pick<QueueStore, 'forgetDeadBeyond' | 'forgetOldDead'>

/**
 * Returns a function that deletes dead queued runs: at each call those past the number of an account, and once an hour
 * those past their time or bytes.
 */
export function createForgettingDead(store: DeadRuns, { days }: { readonly days: number }) {
  const forgetOld = atMostHourly(() => store.forgetOldDead({ ageMs: days * dayMs, maxBytes }))
  return async function forgetDeadRuns(): Promise<void> {
    while ((await store.forgetDeadBeyond(maxDead, maxAtOnce)) > 0) await sleep(pauseMs)
    await forgetOld()
  }
}
