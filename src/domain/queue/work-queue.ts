import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FunctionStore } from '../functions/function-store.ts'
import type { HeldRuns } from '../runs/hold-runs.ts'
import type { AttemptParts } from './attempt-run.ts'
import { createLooks, lookEveryMs, minPauseMs } from './looks.ts'
import type { Claim, ClaimedRun, DeadRun, NextClaim, QueueStore, RetryAfterMs } from './queue-store.ts'
import { createReadyRuns } from './ready-runs.ts'
import { createRunningRuns } from './running-runs.ts'
import { createSettling } from './settle-ends.ts'

const maxCloseMs = 5_000
// After a run was refused a sandbox that seemed free.
const refusedPauseMs = 50
// One claim at a time, unless the store takes longer to answer.
const maxClaimMs = 100

/** The sandboxes for queued runs. */
interface Capacity {
  /** How many runs could begin now, of all accounts and of one. */
  free(): number
  freeOf(accountCode: string): number
  /** Accounts that can begin none, because they hold their share. */
  fullAccounts(): readonly string[]
  /** Starts one more sandbox if all are busy for a while. */
  grow(): void
  /** Sets the listener that is called when a run could begin. */
  onFree(listener: () => void): void
}

interface Dependencies extends AttemptParts {
  readonly store: QueueStore
  readonly findLive: FunctionStore['findLive']
  readonly capacity: Capacity
  /** Holds the run of an attempt for the commit of its end. */
  readonly holdRuns: () => HeldRuns
  readonly leaseMs: number
  readonly retryMs: readonly number[]
  /** Called after the commit of runs that are dead. */
  readonly onDead: (dead: readonly DeadRun[]) => void
  readonly onError: (error: unknown) => void
}

export interface QueueWork {
  /** Ends the runs that go on, gives them back, and claims no more. */
  close(): Promise<void>
}

/**
 * Runs what is queued (contract, section 8). A signal, the time of the next due run, a free sandbox or five seconds
 * wake it. It claims the runs that can begin at once and, while runs are short, some more. The commit that ends runs
 * claims the next ones.
 *
 *   due -- claim --> ready -- sandbox --> running --> ended -- commit --> gone, due later or dead
 *    ^                 |                    |            +-- claim --> ready
 *    +-- given back ---+--------------------+
 */
export function startQueueWork(dependencies: Dependencies): QueueWork {
  const { store, capacity, leaseMs, onDead, onError } = dependencies
  const retryAfterMs = createRetryLaw(dependencies.retryMs)
  const settling = createSettling({
    store,
    leaseMs,
    onError,
    onDead,
    mayWait: () => ready.areMany && !isClosed,
    openClaim: () => openClaim(isMoreDue || leftOut.length > 0),
    closeClaim,
    onSettled: goOn,
    onNext: inMs => lookIn(inMs),
  })
  const running = createRunningRuns({ ...dependencies, retryAfterMs, settle: settling.settle, onEnd })
  const ready = createReadyRuns(leaseMs, giveBack)
  // The last claim left runs that are due.
  let isMoreDue = false
  // Accounts with their share of the sandboxes, whose due runs the last look at the store left out.
  let leftOut: readonly string[] = []
  // The end of the claim under way at the latest; 0 without one.
  let claimingUntil = 0
  let isWokenWhileClaiming = false
  // A run was refused a sandbox.
  let refusedUntil = 0
  // A claim got none of the runs that are due.
  let emptyUntil = 0
  let isClosed = false
  const looks = createLooks({ findNext, claimSome, beginReady, onError })
  const { wake, lookIn } = looks

  async function findNext(): Promise<number> {
    leftOut = findFull(0)
    const nextMs = await store.nextInMs(leftOut)
    // Requests of the accounts that were left out may hold their shares without an end.
    if (nextMs !== 0 && leftOut.length > 0 && (await store.nextInMs([])) === 0) capacity.grow()
    return nextMs ?? lookEveryMs
  }

  /** Gives the time until the next look. */
  async function claimSome(): Promise<number> {
    const now = performance.now()
    isWokenWhileClaiming ||= claimingUntil > now
    const busyMs = Math.max(refusedUntil, emptyUntil, claimingUntil) - now
    if (busyMs > 0) return busyMs
    const isSoonClaimed = ready.areMany || (areShort() && findFree() === 0)
    const request = isSoonClaimed ? null : openClaim(true)
    if (request === null) return waitForSandbox()
    let claim: Claim | null = null
    try {
      claim = await store.claim(request)
    } finally {
      closeClaim(claim)
    }
    return lookEveryMs
  }

  async function waitForSandbox(): Promise<number> {
    const nextMs = areShort() || ready.length > 0 ? 0 : await findNext()
    isMoreDue = nextMs === 0
    if (isMoreDue) capacity.grow()
    return nextMs || lookEveryMs
  }

  /** True while runs end so soon that the commit of their ends claims early enough. */
  function areShort(): boolean {
    return running.active > 0 && ready.aheadOf(running.active) > 0
  }

  /** Null if no run could begin soon. */
  function openClaim(always: boolean): NextClaim | null {
    const now = performance.now()
    if (isClosed || Math.max(refusedUntil, claimingUntil) > now) return null
    const free = findFree()
    const ahead = ready.aheadOf(running.active + free)
    const maxRuns = free + ahead - ready.length
    if (maxRuns <= 0) return null
    claimingUntil = now + maxClaimMs
    leftOut = findFull(ahead)
    const maxRunsOf = (accountCode: string) => findRoom(accountCode, ahead)
    return { holder: randomUUID(), leaseMs, maxRuns, retryAfterMs, always, leftOut, maxRunsOf }
  }

  /** How many runs of an account can begin soon. */
  function findRoom(accountCode: string, ahead: number): number {
    return freeOf(accountCode) + ahead - ready.lengthOf(accountCode)
  }

  function findFull(ahead: number): readonly string[] {
    return capacity.fullAccounts().filter(accountCode => findRoom(accountCode, ahead) <= 0)
  }

  function closeClaim(claim: Claim | null): void {
    claimingUntil = 0
    if (claim !== null) {
      onDead(claim.dead)
      take(claim)
    }
    if (isWokenWhileClaiming) wake()
    isWokenWhileClaiming = false
  }

  function take({ runs, nextInMs, leftOut: full }: Claim): void {
    leftOut = full
    for (const run of runs) isClosed ? running.giveBack(run) : ready.add(run)
    isMoreDue = runs.length > 0 && nextInMs === 0
    // Others hold what is due, and every signal would end in another empty claim.
    if (runs.length === 0 && nextInMs === 0) emptyUntil = performance.now() + minPauseMs
    if (nextInMs !== null && !isMoreDue) lookIn(Math.max(minPauseMs, nextInMs))
    goOn()
  }

  /** Begins runs, and claims others if there are too few. */
  function goOn(): void {
    beginReady()
    if (settling.isPlanned || performance.now() < claimingUntil) return
    const isAnyFree = isMoreDue && findFree() > 0
    // While runs are short, the commit of their ends claims those that were left out.
    if (isAnyFree || (!areShort() && leftOut.some(accountCode => freeOf(accountCode) > 0))) wake()
  }

  function findFree(): number {
    return performance.now() < refusedUntil ? 0 : Math.max(0, capacity.free() - running.starting)
  }

  function freeOf(accountCode: string): number {
    const free = capacity.freeOf(accountCode) - running.startingOf(accountCode)
    return Math.max(0, Math.min(findFree(), free))
  }

  function beginReady(): void {
    for (let free = findFree(); free > 0; free--) {
      const next = ready.take(accountCode => freeOf(accountCode) > 0)
      if (next === undefined) break
      running.begin(next)
    }
    if (!ready.areMany) settling.hurry()
  }

  function giveBack(run: ClaimedRun): void {
    refusedUntil = performance.now() + refusedPauseMs
    running.giveBack(run)
    settling.hurry()
  }

  function onEnd(durationMs: number | null): void {
    if (durationMs !== null) return ready.count(durationMs)
    refusedUntil = performance.now() + refusedPauseMs
    lookIn(refusedPauseMs)
  }

  const stopListening = store.onQueued(wake)
  // The end of the run that left the sandbox comes in the same turn, and its commit can claim.
  capacity.onFree(() => setImmediate(goOn))
  void store.endLeases().catch(onError).then(looks.wakeIfDue)

  return {
    async close() {
      isClosed = true
      stopListening()
      looks.stop()
      running.stop()
      for (const run of ready.clear()) running.giveBack(run)
      settling.hurry()
      // What a claim under way still gives is given back, too.
      const ended = looks.whenOver().then(running.whenEnded)
      await Promise.race([ended, sleep(maxCloseMs, undefined, { ref: false })])
      running.close()
    },
  }
}

/** The times of `ROSTRUM_RETRY_MS`, each up to a fifth shorter or longer. Null after as many attempts and one more. */
function createRetryLaw(retryMs: readonly number[]): RetryAfterMs {
  return attempt => {
    const ms = retryMs[attempt - 1]
    return ms === undefined ? null : Math.round((ms * randomInt(800, 1_201)) / 1_000)
  }
}
