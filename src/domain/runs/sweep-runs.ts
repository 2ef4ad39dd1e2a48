import { setTimeout as sleep } from 'node:timers/promises'
import type { RunStore } from './run-store.ts'

const beatEveryMs = 4_000
// A gateway that has not said for so long that it lives is dead, and so are its runs.
const leaseMs = 15_000
const sweepEveryMs = 60_000
// A large transaction delays others.
const maxAtOnce = 200
const pauseMs = 20
const dayMs = 86_400_000
// A function can have 25 MB of versions.
const maxFunctionsAtOnce = 5
// A run that began before its function was removed is written by then.
const unwrittenMs = 60_000

export interface Retention {
  readonly days: number
  /** Maximum number of runs of one account. */
  readonly count: number
  /** Maximum bytes of the long values of one account's runs. */
  readonly bytes: number
  readonly inputDays: number
}

interface Dependencies {
  readonly store: RunStore
  /** Deletions of other rows, such as dead queued runs, one after the other. */
  readonly forgetOthers: readonly (() => Promise<void>)[]
  readonly gateway: string
  readonly retention: Retention
  readonly onError: (error: unknown) => void
}

/**
 * Records that the gateway is alive, finds the runs of dead gateways, and deletes old runs and other rows. One of the
 * gateways of a store does the last two. Returns a function that stops it.
 */
export function startSweepingRuns(dependencies: Dependencies): () => void {
  const { store, forgetOthers, gateway, retention, onError } = dependencies
  let isSweeper = false
  let isBusy = false

  async function beat(): Promise<void> {
    isSweeper = await store.beat(gateway, leaseMs)
    if (isSweeper) await store.markLost(leaseMs)
  }

  async function sweep(): Promise<void> {
    if (!isSweeper || isBusy) return
    isBusy = true
    try {
      await forgetOldRuns(store, retention)
      for (const forget of forgetOthers) await forget()
    } finally {
      isBusy = false
    }
  }

  void beat().catch(onError)
  // The runs of a store that only one gateway serves can be lost only at its start.
  const beats = store.isShared ? [setInterval(() => void beat().catch(onError), beatEveryMs)] : []
  const timers = [...beats, setInterval(() => void sweep().catch(onError), sweepEveryMs)]
  for (const timer of timers) timer.unref()
  return () => timers.forEach(clearInterval)
}

/** Deletes the runs and inputs that are past their time, and runs past a maximum of an account, some at a time. */
export async function forgetOldRuns(
  store: RunStore,
  { days, count, bytes, inputDays }: Retention,
): Promise<void> {
  const daysAgo = (number: number) => Date.now() - number * dayMs
  await repeat(() =>
    store.forgetRuns({ startedBefore: daysAgo(days), maxRuns: count, maxBytes: bytes }, maxAtOnce),
  )
  await repeat(() => store.forgetInputs(daysAgo(inputDays), maxAtOnce))
  await repeat(() => store.forgetFunctions(unwrittenMs, maxFunctionsAtOnce))
}

async function repeat(forget: () => Promise<number>): Promise<void> {
  while ((await forget()) > 0) await sleep(pauseMs)
}
