import { gatewayStopped, invalidToken, runLost } from '../../errors.ts'
import type { FunctionStore } from '../functions/function-store.ts'
import type { DeferredRuns } from '../runs/deferred-runs.ts'
import type { RunRecorder } from '../scripts/run-record.ts'
import { type AttemptParts, attemptRun } from './attempt-run.ts'
import type { EndedAttempts } from './ended-attempts.ts'
import { isAmong } from './held-runs.ts'
import { createLiveLookUps } from './live-look-ups.ts'
import type { ClaimedRun, QueueStore, RetryAfterMs } from './queue-store.ts'
import type { ReadyRun } from './ready-runs.ts'

interface Dependencies extends AttemptParts {
  readonly store: Pick<QueueStore, 'renew'>
  readonly findLive: FunctionStore['findLive']
  /** Defers the run of an attempt to the commit of its end. */
  readonly deferRuns: () => DeferredRuns
  readonly retryAfterMs: RetryAfterMs
  readonly leaseMs: number
  /** Takes the end of an attempt. Resolves when it is written, or cannot be. */
  readonly finish: EndedAttempts['add']
  readonly onError: (error: unknown) => void
  /** Called with the time that an attempt took; null if its run is released. */
  readonly onEnd: (durationMs: number | null) => void
}

interface RunningRun {
  readonly run: ClaimedRun
  readonly stop: AbortController
  /** The lease ends at this time of `performance.now()` or later. */
  leasedUntil: number
  ended: Promise<void>
}

export interface RunningRuns {
  /** Number of attempts that have not ended. */
  readonly active: number
  /** Number of active attempts without a sandbox. */
  readonly starting: number
  startingOf(accountCode: string): number
  begin(ready: ReadyRun): void
  /** Returns a run that did not begin to the queue. */
  release(run: ClaimedRun): void
  /** Aborts all scripts, which returns their runs to the queue. */
  stop(): void
  /** The ends that are not written. */
  readonly ends: readonly Promise<void>[]
  close(): void
}

/** The attempts of this gateway. Their leases are renewed until their ends are written. */
export function createRunningRuns(dependencies: Dependencies): RunningRuns {
  const { store, deferRuns, finish, leaseMs, onError, onEnd } = dependencies
  const running = new Set<RunningRun>()
  const findLiveSince = createLiveLookUps(dependencies.findLive)
  let active = 0
  // The accounts of attempts without a sandbox.
  const starting: string[] = []

  async function work(entry: RunningRun, claimedAt: number): Promise<void> {
    const { run, stop } = entry
    const deferred = deferRuns()
    const begunAt = performance.now()
    let isStarting = true
    active += 1
    starting.push(run.accountCode)
    const start = () => {
      if (isStarting) starting.splice(starting.indexOf(run.accountCode), 1)
      isStarting = false
    }
    const recorder: RunRecorder = {
      begin(facts) {
        start()
        return deferred.begin(facts)
      },
    }
    // This process may have hung, and another gateway may have taken the run over.
    const checkLease = () => {
      if (performance.now() >= entry.leasedUntil) stop.abort(runLost())
      // The token of a run that has ended is invalid.
      if (stop.signal.aborted) throw invalidToken('The queued run has ended at this gateway.')
    }
    const findLive = async () => {
      const live = await findLiveSince(claimedAt, run)
      checkLease()
      return live
    }
    const { signal } = stop
    const end = await attemptRun({ ...dependencies, findLive, run, recorder, signal, checkLease })
    start()
    active -= 1
    const ended = finish(run, end, deferred)
    onEnd(end.kind === 'released' ? null : performance.now() - begunAt)
    await ended
  }

  function add(run: ClaimedRun, leasedUntil: number, workOn: (entry: RunningRun) => Promise<void>): void {
    const entry: RunningRun = { run, stop: new AbortController(), leasedUntil, ended: Promise.resolve() }
    running.add(entry)
    entry.ended = workOn(entry).finally(() => running.delete(entry))
  }

  async function renew(accountCode: string, entries: readonly RunningRun[]): Promise<void> {
    const runs = entries.map(({ run }) => run)
    const leasedUntil = performance.now() + leaseMs
    const held = await store.renew(accountCode, runs, leaseMs)
    // This gateway may have claimed the same run again, as another attempt, after the lease of the first one ended.
    for (const entry of entries) {
      if (isAmong(held, entry.run)) entry.leasedUntil = leasedUntil
      else entry.stop.abort(runLost())
    }
  }

  function renewAll(): void {
    const byAccount = Map.groupBy(running, ({ run }) => run.accountCode)
    for (const [accountCode, entries] of byAccount) void renew(accountCode, entries).catch(onError)
  }

  const renewals = setInterval(renewAll, leaseMs / 3).unref()

  return {
    get active() {
      return active
    },
    get starting() {
      return starting.length
    },
    startingOf: accountCode => starting.filter(account => account === accountCode).length,
    begin: ({ run, claimedAt, leasedUntil }) => add(run, leasedUntil, entry => work(entry, claimedAt)),
    release: run => add(run, 0, () => finish(run, { kind: 'released' }, deferRuns())),
    stop() {
      for (const { stop } of running) stop.abort(gatewayStopped())
    },
    get ends() {
      return Array.from(running, ({ ended }) => ended)
    },
    close: () => clearInterval(renewals),
  }
}
