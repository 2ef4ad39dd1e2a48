import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FunctionStore } from '../functions/function-store.ts'
import type { DeferredRuns } from '../runs/deferred-runs.ts'
import type { QueuedCapacity } from '../scripts/queued-capacity.ts'
import type { AttemptParts } from './attempt-run.ts'
import { EndedAttempts, failedPauseMs } from './ended-attempts.ts'
import { createPoller } from './poller.ts'
import type { Claim, DeadRun, NextClaim, QueueStore, RetryAfterMs } from './queue-store.ts'
import { ReadyRuns } from './ready-runs.ts'
import { createRunningRuns } from './running-runs.ts'

const maxCloseMs = 5_000
// How often to look without a signal.
const pollEveryMs = 5_000
// Pause after a run was refused a sandbox that seemed free.
const refusedPauseMs = 50
// One claim at a time, unless it waits for the lock of an account.
const maxClaimMs = 100
// Pause after a claim that got none of the due runs, because other gateways have them locked.
const emptyPauseMs = 10
// How long after a claim that left accounts out to look for more of their runs, unless another claim comes first.
const leftOutPauseMs = 100

interface Dependencies extends AttemptParts {
  readonly store: QueueStore
  readonly findLive: FunctionStore['findLive']
  readonly capacity: QueuedCapacity
  /** Defers the run of an attempt to the commit of its end. */
  readonly deferRuns: () => DeferredRuns
  readonly leaseMs: number
  readonly retryMs: readonly number[]
  /** Called after the commit of runs that are dead. */
  readonly onDead: (dead: readonly DeadRun[]) => void
  readonly onError: (error: unknown) => void
}

export interface QueueWork {
  /** Stops claiming, aborts running scripts and returns their runs to the queue. */
  close(): Promise<void>
}

/**
 * Runs what is queued (contract, section 8). `step` decides everything: which runs begin, which ends are written, and
 * what is claimed. A signal, an end, a free sandbox, the time of the next due run or five seconds wake it. It claims
 * the runs that can begin at once and, while runs are short, some more. The commit that ends runs claims the next ones.
 * An account has one such commit under way, and accounts do not wait for each other.
 *
 *   due -- claim --> ready -- sandbox --> running --> ended -- commit --> gone, due later or dead
 *    ^                 |                    |            +-- claim --> ready
 *    +---- release ----+--------------------+
 */
export function startQueueWork(dependencies: Dependencies): QueueWork {
  const { store, capacity, leaseMs, onDead, onError } = dependencies
  const retryAfterMs = createRetryPolicy(dependencies.retryMs)
  const ended = new EndedAttempts(dependencies)
  const ready = new ReadyRuns(leaseMs)
  const running = createRunningRuns({ ...dependencies, retryAfterMs, finish: add, onEnd })
  // The writes, claims and looks under way.
  const calls = new Set<Promise<void>>()
  let isClosed = false
  // The next claim or look begins at this time at the earliest.
  let claimsFrom = 0
  // A run can be claimed from this time on, unless it is of an account that was left out.
  let dueAt = Number.POSITIVE_INFINITY
  // Accounts with their share of the sandboxes, whose due runs the last look at the store left out.
  let leftOut: readonly string[] = []
  // Runs are looked for at this time without a signal, and without a free sandbox.
  let lookAt = Number.POSITIVE_INFINITY
  // No run begins before this time, because one was refused a sandbox.
  let refusedUntil = 0
  const { wake, stop } = createPoller(step)

  /** Does what can be done now. Returns the time of the next step. */
  function step(): number {
    for (const run of ready.takeLate()) {
      refusedUntil = performance.now() + refusedPauseMs
      running.release(run)
    }
    beginReady()
    for (const accountCode of ended.findDue(mayWait())) call(finish(accountCode))
    claimOrLook()
    const now = performance.now()
    const times = [dueAt, lookAt, refusedUntil, claimsFrom, ready.lateAt, ended.dueAt(mayWait())]
    return Math.min(...times.filter(time => time > now))
  }

  function call(work: Promise<void>): void {
    const called = work.catch(onError).finally(() => {
      calls.delete(called)
      wake()
    })
    calls.add(called)
  }

  function beginReady(): void {
    for (let free = findFree(); free > 0; free--) {
      const next = ready.take(accountCode => freeOf(accountCode) > 0)
      if (next === undefined) break
      running.begin(next)
    }
  }

  /** True while enough runs are ready: ends can wait for others, and the next claim for the commit of these ends. */
  function mayWait(): boolean {
    return !isClosed && ready.length > ready.aheadOf(running.active + findFree()) / 2
  }

  /** True while runs end so soon that the commit of their ends claims early enough. */
  function areShort(): boolean {
    return ready.aheadOf(running.active) > 0
  }

  async function finish(accountCode: string): Promise<void> {
    const next = openClaim(dueAt <= performance.now() || leftOut.length > 0)
    const leasedUntil = performance.now() + leaseMs
    const finished = await ended.write(accountCode, next)
    if (next !== null) closeClaim(finished?.claim ?? null, leasedUntil)
    if (finished === null) claimIn(failedPauseMs)
    else if (finished.claim === null) claimIn(finished.nextInMs)
  }

  function claimOrLook(): void {
    const now = performance.now()
    if (isClosed || now < Math.max(refusedUntil, claimsFrom)) return
    const isDue = dueAt <= now || leftOut.some(accountCode => freeOf(accountCode) > 0)
    const isFree = findFree() > 0
    if (isDue && isFree && !mayWait()) return call(claim())
    // What is ready could not begin: its account may hold its share.
    const isStuck = ready.length > 0
    if (isStuck || (isDue && !isFree)) capacity.want(true)
    if (now >= lookAt) lookOrGrow(now, isDue && (isStuck || areShort()))
  }

  function lookOrGrow(now: number, mustGrow: boolean): void {
    lookAt = now + pollEveryMs
    if (mustGrow) capacity.grow()
    else call(look())
  }

  async function claim(): Promise<void> {
    const request = openClaim(true)
    if (request === null) return
    const leasedUntil = performance.now() + leaseMs
    let claimed: Claim | null = null
    try {
      claimed = await store.claim(request)
    } finally {
      closeClaim(claimed, leasedUntil)
      // The due runs still wait. A look that fails too is followed by the next one after `pollEveryMs`.
      if (claimed === null) lookAt = Math.min(lookAt, performance.now() + failedPauseMs)
    }
  }

  /** Reads when the next run is due, which costs less than a claim. */
  async function look(): Promise<void> {
    claimsFrom = performance.now() + maxClaimMs
    dueAt = Number.POSITIVE_INFINITY
    leftOut = findFull(0)
    try {
      const nextMs = await store.nextInMs(leftOut)
      claimIn(nextMs)
      if (nextMs === 0) return findFree() === 0 ? capacity.grow() : undefined
      const nextOfAllMs = leftOut.length === 0 ? nextMs : await store.nextInMs([])
      // Requests of the accounts that were left out may hold their shares without an end.
      if (nextOfAllMs === 0) return capacity.grow()
      leftOut = []
      claimIn(nextOfAllMs)
      capacity.want(false)
    } finally {
      claimsFrom = 0
    }
  }

  /** Null if no run could begin soon. With `always: false` it claims only if an end lets another run go on. */
  function openClaim(always: boolean): NextClaim | null {
    const now = performance.now()
    if (isClosed || now < Math.max(refusedUntil, claimsFrom)) return null
    const free = findFree()
    const ahead = ready.aheadOf(running.active + free)
    const maxRuns = free + ahead - ready.length
    if (maxRuns <= 0) return null
    claimsFrom = now + maxClaimMs
    if (always) {
      dueAt = Number.POSITIVE_INFINITY
      lookAt = now + pollEveryMs
    }
    leftOut = findFull(ahead)
    const maxRunsOf = (accountCode: string) => findRoom(accountCode, ahead)
    return { holder: randomUUID(), leaseMs, maxRuns, retryAfterMs, always, leftOut, maxRunsOf }
  }

  function closeClaim(claimed: Claim | null, leasedUntil: number): void {
    claimsFrom = 0
    if (claimed === null) return
    const { runs, nextInMs, dead } = claimed
    onDead(dead)
    leftOut = claimed.leftOut
    for (const run of runs) isClosed ? running.release(run) : ready.add(run, leasedUntil)
    // Other gateways have the due runs locked, so every signal would end in another empty claim.
    if (runs.length === 0 && nextInMs === 0) claimsFrom = performance.now() + emptyPauseMs
    else if (runs.length === 0 && leftOut.length === 0) capacity.want(false)
    // Whether more runs of these accounts are due is not known.
    if (leftOut.length > 0) lookAt = Math.min(lookAt, performance.now() + leftOutPauseMs)
    claimIn(nextInMs)
  }

  /** Takes the time until a run can be claimed; null if none waits. */
  function claimIn(ms: number | null): void {
    if (ms !== null) dueAt = Math.min(dueAt, performance.now() + ms)
  }

  function findFull(ahead: number): readonly string[] {
    return capacity.fullAccounts().filter(accountCode => findRoom(accountCode, ahead) <= 0)
  }

  /** How many runs of an account can begin soon. */
  function findRoom(accountCode: string, ahead: number): number {
    return freeOf(accountCode) + ahead - ready.lengthOf(accountCode)
  }

  function findFree(): number {
    return performance.now() < refusedUntil ? 0 : Math.max(0, capacity.free() - running.starting)
  }

  function freeOf(accountCode: string): number {
    const free = capacity.freeOf(accountCode) - running.startingOf(accountCode)
    return Math.max(0, Math.min(findFree(), free))
  }

  function add(...attempt: Parameters<EndedAttempts['add']>): Promise<void> {
    wake()
    return ended.add(...attempt)
  }

  function onEnd(durationMs: number | null): void {
    if (durationMs === null) refusedUntil = performance.now() + refusedPauseMs
    else ready.count(durationMs)
  }

  function lookNow(): void {
    lookAt = 0
    wake()
  }

  const stopListening = store.onQueued(() => {
    dueAt = Math.min(dueAt, performance.now())
    lookNow()
  })
  capacity.onFree(wake)
  void store.endLeases().catch(onError).then(lookNow)

  async function whenOver(): Promise<void> {
    for (;;) {
      const left = [...calls, ...running.ends]
      if (left.length === 0) return
      await Promise.all(left)
    }
  }

  return {
    async close() {
      isClosed = true
      stopListening()
      running.stop()
      for (const run of ready.clear()) running.release(run)
      await Promise.race([whenOver(), sleep(maxCloseMs, undefined, { ref: false })])
      stop()
      running.close()
    },
  }
}

/** The times of `ROSTRUM_RETRY_MS`, each up to a fifth shorter or longer. Null for an attempt after the last one. */
function createRetryPolicy(retryMs: readonly number[]): RetryAfterMs {
  return attempt => {
    const ms = retryMs[attempt - 1]
    return ms === undefined ? null : Math.round((ms * randomInt(800, 1_201)) / 1_000)
  }
}
