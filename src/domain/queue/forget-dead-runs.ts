import { setTimeout as sleep } from 'node:timers/promises'
import type { QueueStore } from './queue-store.ts'

/** Dead runs of an account, and the bytes of their inputs and options. The newest ones are kept. */
const maxDead = 10_000
const maxBytes = 2 ** 30
// Of one transaction: each has an input.
const maxAtOnce = 20
const pauseMs = 10
const hourMs = 3_600_000

export type DeadRuns = Pick<QueueStore, 'forgetDeadBeyond' | 'forgetOldDead'>

/**
 * Returns a function that deletes dead queued runs: at each call those past the number of an account, and once an hour
 * those past their time or bytes.
 */
export function createForgettingDead(store: DeadRuns, { days }: { readonly days: number }) {
  let oldAt = Number.NEGATIVE_INFINITY
  return async function forgetDeadRuns(): Promise<void> {
    while ((await store.forgetDeadBeyond(maxDead, maxAtOnce)) > 0) await sleep(pauseMs)
    const now = performance.now()
    if (now - oldAt < hourMs) return
    oldAt = now
    await store.forgetOldDead({ ageMs: days * 24 * hourMs, maxBytes })
  }
}
