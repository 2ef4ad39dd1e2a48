import { hasCode } from '../../errors.ts'
import type { DeferredRuns } from '../runs/deferred-runs.ts'
import { type HeldRun, isAmong } from './held-runs.ts'
import type { ClaimedRun, DeadRun, Finished, NextClaim, QueuedEnd, QueueStore } from './queue-store.ts'

// Maximum number of ends written in one transaction.
const maxEnds = 50
// How long an end waits for others while there are runs to begin.
const maxWaitMs = 20
/** Pause before ends are written again, after the store did not answer. */
export const failedPauseMs = 500

interface Dependencies {
  readonly store: Pick<QueueStore, 'finishAttempts'>
  readonly leaseMs: number
  /** Called after the commit of runs that are dead. */
  readonly onDead: (dead: readonly DeadRun[]) => void
  readonly onError: (error: unknown) => void
}

interface EndedAttempt {
  readonly run: ClaimedRun
  readonly end: QueuedEnd['end']
  readonly deferred: DeferredRuns
  /** About the end of the lease. After it, the end of the run is not tried again. */
  readonly leasedUntil: number
  /** True if the store did not answer a write of this end. It may be written. */
  mayBeWritten: boolean
  readonly forget: () => void
}

interface AccountEnds {
  readonly ends: EndedAttempt[]
  isWriting: boolean
  /** The first end has waited for others since this time. */
  since: number
  /** Nothing is written before it, because the store did not answer. */
  pausedUntil: number
}

/** The ends that are not written. One transaction for each account at a time writes all that have come meanwhile. */
export class EndedAttempts {
  readonly #dependencies: Dependencies
  readonly #byAccount = new Map<string, AccountEnds>()

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** Resolves when the end is written, or cannot be. */
  add(run: ClaimedRun, end: QueuedEnd['end'], deferred: DeferredRuns): Promise<void> {
    const { promise, resolve: forget } = Promise.withResolvers<void>()
    const now = performance.now()
    const account = this.#byAccount.get(run.accountCode) ?? {
      ends: [],
      isWriting: false,
      since: now,
      pausedUntil: 0,
    }
    this.#byAccount.set(run.accountCode, account)
    const leasedUntil = now + this.#dependencies.leaseMs
    account.ends.push({ run, end, deferred, leasedUntil, mayBeWritten: false, forget })
    return promise
  }

  /** The accounts whose ends are to be written now. Ends wait for others only if `mayWait`. */
  findDue(mayWait: boolean): string[] {
    const now = performance.now()
    return [...this.#byAccount].flatMap(([accountCode, account]) =>
      account.ends.length > 0 && !account.isWriting && dueAtOf(account, mayWait) <= now ? accountCode : [],
    )
  }

  /** When the first account is due; infinite if none is. */
  dueAt(mayWait: boolean): number {
    const waiting = [...this.#byAccount.values()].filter(({ isWriting }) => !isWriting)
    return Math.min(...waiting.map(account => dueAtOf(account, mayWait)))
  }

  /** Writes the first ends of the account. The same commit claims the next runs. Null if the store failed. */
  async write(accountCode: string, next: NextClaim | null): Promise<Finished | null> {
    const account = this.#byAccount.get(accountCode)
    if (account === undefined) return null
    const some = account.ends.slice(0, maxEnds)
    account.isWriting = true
    let finished: Finished | null = null
    let isWorthRetrying = false
    try {
      const ends = await Promise.all(some.map(toQueuedEnd))
      finished = await this.#dependencies.store.finishAttempts(accountCode, ends, next)
      for (const { deferred } of some) deferred.markWritten()
      this.#dependencies.onDead(findDead(some, finished.ended))
    } catch (error) {
      this.#dependencies.onError(error)
      const now = performance.now()
      const isLeased = some.some(({ leasedUntil }) => leasedUntil > now)
      isWorthRetrying = isLeased && hasCode(error, 'UNAVAILABLE')
      account.pausedUntil = isWorthRetrying ? now + failedPauseMs : 0
    }
    if (isWorthRetrying) for (const attempt of some) attempt.mayBeWritten = true
    else {
      account.ends.splice(0, some.length)
      for (const { deferred, forget } of some) {
        // Without this end, the run is claimed again once its lease has ended.
        deferred.lose()
        deferred.keep()
        forget()
      }
    }
    account.isWriting = false
    account.since = performance.now()
    if (account.ends.length === 0) this.#byAccount.delete(accountCode)
    return finished
  }
}

function dueAtOf({ ends, since, pausedUntil }: AccountEnds, mayWait: boolean): number {
  return Math.max(pausedUntil, mayWait && ends.length < maxEnds ? since + maxWaitMs : 0)
}

// After a lost answer, the holder has the run no more, because the write before was done.
function findDead(ends: readonly EndedAttempt[], ended: readonly HeldRun[]): DeadRun[] {
  return ends.flatMap(({ run, end, mayBeWritten }) => {
    if (end.kind !== 'dead') return []
    if (!mayBeWritten && !isAmong(ended, run)) return []
    return { ...run, code: end.isFail ? 'FAIL' : end.error.code }
  })
}

async function toQueuedEnd({ run: { id, holder }, end, deferred }: EndedAttempt): Promise<QueuedEnd> {
  return { id, holder, end, runs: await deferred.prepare() }
}
