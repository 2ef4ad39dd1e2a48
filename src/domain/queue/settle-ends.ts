import { setTimeout as sleep } from 'node:timers/promises'
import { RostrumError } from '../../errors.ts'
import type { HeldRuns } from '../runs/hold-runs.ts'
import type { ClaimedRun, QueuedEnd, QueueStore } from './queue-store.ts'

// Of one transaction.
const maxEnds = 50
const pauseMs = 500

interface Dependencies {
  readonly store: Pick<QueueStore, 'settle'>
  readonly leaseMs: number
  readonly onError: (error: unknown) => void
  /** Called with the time until a run that waits because of an end can be claimed. */
  readonly onNext: (inMs: number) => void
}

interface WaitingEnd {
  readonly end: QueuedEnd
  readonly held: HeldRuns
  readonly settledBy: number
  readonly done: () => void
}

/**
 * Writes the ends of attempts, those of one account that come together in one commit. It tries again while the store
 * does not answer, until the leases have ended.
 */
export function createSettling({ store, leaseMs, onError, onNext }: Dependencies) {
  const waiting = new Map<string, WaitingEnd[]>()

  async function write(accountCode: string, ends: readonly WaitingEnd[]): Promise<boolean> {
    try {
      const { nextInMs } = await store.settle(accountCode, await Promise.all(ends.map(toEnd)))
      for (const { held } of ends) held.settle()
      if (nextInMs !== null) onNext(nextInMs)
      return true
    } catch (error) {
      onError(error)
      return !(error instanceof RostrumError && error.code === 'UNAVAILABLE')
    }
  }

  async function writeAll(accountCode: string, ends: WaitingEnd[]): Promise<void> {
    while (ends.length > 0) {
      const some = ends.slice(0, maxEnds)
      const isLate = some.every(({ settledBy }) => performance.now() > settledBy)
      if (!(await write(accountCode, some)) && !isLate) {
        await sleep(pauseMs)
        continue
      }
      ends.splice(0, some.length)
      for (const { held, done } of some) {
        held.keep()
        done()
      }
    }
    waiting.delete(accountCode)
  }

  return {
    /** Resolves when the end is written, or cannot be. */
    settle({ accountCode, id, holder }: ClaimedRun, end: QueuedEnd['end'], held: HeldRuns): Promise<void> {
      const { promise, resolve: done } = Promise.withResolvers<void>()
      const settledBy = performance.now() + leaseMs
      const added = { end: { id, holder, end, runs: null }, held, settledBy, done }
      const ends = waiting.get(accountCode)
      if (ends !== undefined) ends.push(added)
      else {
        const first = [added]
        waiting.set(accountCode, first)
        // Others may end in the same turn.
        setImmediate(() => void writeAll(accountCode, first))
      }
      return promise
    },
  }
}

async function toEnd({ end, held }: WaitingEnd): Promise<QueuedEnd> {
  return { ...end, runs: await held.prepare() }
}
