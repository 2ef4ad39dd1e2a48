import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FunctionStore } from '../functions/function-store.ts'
import type { HeldRuns } from '../runs/hold-runs.ts'
import type { RunRecorder } from '../runs/run-record.ts'
import { attemptRun, type ExecuteQueued } from './attempt-run.ts'
import type { ClaimedRun, QueueStore, RetryAfterMs } from './queue-store.ts'
import { createSettling } from './settle-ends.ts'

// How often to look without a signal.
const lookEveryMs = 5_000
// Another gateway may hold the rows of an account that is due.
const minPauseMs = 10
const maxCloseMs = 5_000
// After a run was refused a sandbox that seemed free.
const refusedPauseMs = 50

/** The sandboxes for queued runs. */
interface Capacity {
  /** How many runs could begin now. */
  free(): number
  /** Starts one more sandbox if all are busy for a while. */
  grow(): void
  /** Sets the listener that is called when a run could begin. */
  onFree(listener: () => void): void
}

interface Dependencies {
  readonly store: QueueStore
  readonly findLive: FunctionStore['findLive']
  readonly capacity: Capacity
  readonly execute: ExecuteQueued
  /** Holds the run of an attempt for the commit of its end. */
  readonly holdRuns: () => HeldRuns
  readonly leaseMs: number
  readonly retryMs: readonly number[]
  readonly onError: (error: unknown) => void
}

export interface QueueWork {
  /** Ends the runs that go on, gives them back, and claims no more. */
  close(): Promise<void>
}

interface RunningRun {
  readonly run: ClaimedRun
  readonly stop: AbortController
  ended: Promise<void>
}

/**
 * Runs what is queued (contract, section 8). A signal, the time of the next due run, a free sandbox or five seconds
 * wake it. It claims no more runs than can begin at once.
 */
export function startQueueWork(dependencies: Dependencies): QueueWork {
  const { store, findLive, capacity, execute, holdRuns, leaseMs, retryMs, onError } = dependencies
  const retryAfterMs = createRetryLaw(retryMs)
  const settling = createSettling({ store, leaseMs, onError, onNext: lookIn })
  const running = new Set<RunningRun>()
  let starting = 0
  let isLooking = false
  let looking = Promise.resolve()
  let isWoken = false
  let isWaitingForSandbox = false
  let isClosed = false
  let notBefore = 0
  let lookAt = 0
  let timer: NodeJS.Timeout | undefined

  function wake(): void {
    isWoken = true
    if (!isLooking) looking = look(true)
  }

  /** Reads when the next run is due, which costs less than a claim. */
  function wakeIfDue(): void {
    if (!isLooking) looking = look(false)
  }

  function plan(ms: number): void {
    clearTimeout(timer)
    const waitMs = Math.max(minPauseMs, Math.min(ms, lookEveryMs))
    lookAt = performance.now() + waitMs
    if (!isClosed) timer = setTimeout(wakeIfDue, waitMs).unref()
  }

  function lookIn(ms: number): void {
    if (ms === 0) wake()
    else if (performance.now() + ms < lookAt) plan(ms)
  }

  async function look(isSure: boolean): Promise<void> {
    isLooking = true
    isWoken = isSure
    clearTimeout(timer)
    lookAt = Number.POSITIVE_INFINITY
    let nextMs = isSure ? lookEveryMs : await findNext()
    isWoken ||= nextMs === 0
    while (isWoken && !isClosed) {
      isWoken = false
      nextMs = await claimSome().catch(report)
    }
    isLooking = false
    if (performance.now() + nextMs < lookAt) plan(nextMs)
  }

  const findNext = async () => (await store.nextInMs().catch(report)) ?? lookEveryMs

  function report(error: unknown): number {
    onError(error)
    return lookEveryMs
  }

  /** Gives the time until the next look. */
  async function claimSome(): Promise<number> {
    const pauseMs = notBefore - performance.now()
    if (pauseMs > 0) return pauseMs
    const maxRuns = capacity.free() - starting
    isWaitingForSandbox = maxRuns <= 0
    if (isWaitingForSandbox) {
      const nextMs = await findNext()
      if (nextMs === 0) capacity.grow()
      return nextMs || lookEveryMs
    }
    const { runs, nextInMs } = await store.claim({ holder: randomUUID(), leaseMs, maxRuns, retryAfterMs })
    for (const run of runs) begin(run)
    isWoken ||= runs.length > 0 && nextInMs === 0
    return nextInMs ?? lookEveryMs
  }

  function begin(run: ClaimedRun): void {
    const entry: RunningRun = { run, stop: new AbortController(), ended: Promise.resolve() }
    running.add(entry)
    if (isClosed) entry.stop.abort()
    entry.ended = work(entry).finally(() => running.delete(entry))
  }

  async function work({ run, stop: { signal } }: RunningRun): Promise<void> {
    const held = holdRuns()
    let isStarting = true
    starting += 1
    const start = () => {
      if (isStarting) starting -= 1
      isStarting = false
    }
    const recorder: RunRecorder = {
      begin(facts) {
        start()
        return held.begin(facts)
      },
    }
    const end = await attemptRun({ run, execute, findLive, retryAfterMs, recorder, signal })
    start()
    if (end.kind === 'given back') notBefore = performance.now() + refusedPauseMs
    await settling.settle(run, end, held)
  }

  async function renew(accountCode: string, entries: readonly RunningRun[]): Promise<void> {
    const runs = entries.map(({ run }) => run)
    const held = new Set(await store.renew(accountCode, runs, leaseMs))
    for (const { run, stop } of entries) if (!held.has(run.id)) stop.abort()
  }

  function renewAll(): void {
    const byAccount = Map.groupBy(running, ({ run }) => run.accountCode)
    for (const [accountCode, entries] of byAccount) void renew(accountCode, entries).catch(onError)
  }

  const stopListening = store.onQueued(wake)
  capacity.onFree(() => {
    if (isWaitingForSandbox) wake()
  })
  const renewals = setInterval(renewAll, leaseMs / 3).unref()
  void store.endLeases().catch(onError).then(wakeIfDue)

  return {
    async close() {
      isClosed = true
      stopListening()
      clearTimeout(timer)
      for (const { stop } of running) stop.abort()
      // What a claim under way still gives is given back, too.
      const ended = looking.then(() => Promise.all([...running].map(entry => entry.ended)))
      await Promise.race([ended, sleep(maxCloseMs, undefined, { ref: false })])
      clearInterval(renewals)
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
