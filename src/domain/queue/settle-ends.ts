import { setTimeout as sleep } from 'node:timers/promises'
import { RostrumError } from '../../errors.ts'
import type { HeldRuns } from '../runs/hold-runs.ts'
import type { Claim, ClaimedRun, DeadRun, NextClaim, QueuedEnd, QueueStore } from './queue-store.ts'

// Maximum number of ends written in one transaction.
const maxEnds = 50
const pauseMs = 500
// How long an end waits for others while there are runs to begin.
const maxWaitMs = 20

interface Dependencies {
  readonly store: Pick<QueueStore, 'settle'>
  readonly leaseMs: number
  readonly onError: (error: unknown) => void
  /** True while ends can wait for others. */
  readonly mayWait: () => boolean
  /** Opens the claim of a transaction; null without one. Each is closed, with null if nothing came of it. */
  readonly openClaim: () => NextClaim | null
  readonly closeClaim: (claim: Claim | null) => void
  /** Called after the commit of runs that are dead. */
  readonly onDead: (dead: readonly DeadRun[]) => void
  /** Called after each commit. */
  readonly onSettled: () => void
  /** Called with the time until a run that waits because of an end can be claimed. */
  readonly onNext: (inMs: number) => void
}

interface WaitingEnd {
  readonly run: ClaimedRun
  readonly end: QueuedEnd
  readonly held: HeldRuns
  readonly settledBy: number
  readonly done: () => void
}

interface WaitingEnds {
  readonly ends: WaitingEnd[]
  /** `planned`: written in this turn of the event loop. */
  state: 'waiting' | 'planned' | 'writing'
  timer: NodeJS.Timeout | null
}

export type Settling = ReturnType<typeof createSettling>

/**
 * Writes the ends of attempts, those of one account that come together in one commit. The commit claims the next runs,
 * too. It tries again while the store does not answer, until the leases have ended.
 */
export function createSettling({ store, leaseMs, onError, onNext, onDead, ...claims }: Dependencies) {
  const waiting = new Map<string, WaitingEnds>()

  async function write(accountCode: string, ends: readonly WaitingEnd[]): Promise<boolean> {
    const given = await Promise.all(ends.map(toEnd))
    const next = claims.openClaim()
    let claim: Claim | null = null
    try {
      const settled = await store.settle(accountCode, given, next)
      claim = settled.claim
      for (const { held } of ends) held.settle()
      onDead(findDead(ends, settled.held))
      if (settled.nextInMs !== null && claim === null) onNext(settled.nextInMs)
      return true
    } catch (error) {
      onError(error)
      return !(error instanceof RostrumError && error.code === 'UNAVAILABLE')
    } finally {
      if (next !== null) claims.closeClaim(claim)
    }
  }

  async function writeAll(accountCode: string, of: WaitingEnds): Promise<void> {
    const { ends } = of
    of.state = 'writing'
    do {
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
    } while (ends.length > 0 && !claims.mayWait())
    of.state = 'waiting'
    if (ends.length > 0) plan(accountCode, of)
    else waiting.delete(accountCode)
    claims.onSettled()
  }

  function writeSoon(accountCode: string, of: WaitingEnds): void {
    if (of.state !== 'waiting') return
    of.state = 'planned'
    if (of.timer !== null) clearTimeout(of.timer)
    of.timer = null
    // Others may end in the same turn.
    setImmediate(() => void writeAll(accountCode, of))
  }

  function plan(accountCode: string, of: WaitingEnds): void {
    if (of.ends.length >= maxEnds || !claims.mayWait()) writeSoon(accountCode, of)
    else if (of.state === 'waiting') of.timer ??= setTimeout(() => writeSoon(accountCode, of), maxWaitMs)
  }

  return {
    /** True if ends are about to be written. */
    get isPlanned() {
      return [...waiting.values()].some(({ state }) => state !== 'writing')
    },

    /** Resolves when the end is written, or cannot be. */
    settle(run: ClaimedRun, end: QueuedEnd['end'], held: HeldRuns): Promise<void> {
      const { accountCode, id, holder } = run
      const { promise, resolve: done } = Promise.withResolvers<void>()
      const settledBy = performance.now() + leaseMs
      const of = waiting.get(accountCode) ?? { ends: [], state: 'waiting', timer: null }
      waiting.set(accountCode, of)
      of.ends.push({ run, end: { id, holder, end, runs: null }, held, settledBy, done })
      plan(accountCode, of)
      return promise
    },

    /** Writes what waits for others. */
    hurry(): void {
      for (const [accountCode, of] of waiting) writeSoon(accountCode, of)
    },
  }
}

function findDead(ends: readonly WaitingEnd[], held: readonly number[]): DeadRun[] {
  return ends.flatMap(({ run, end: { end } }) => {
    if (end.kind !== 'dead' || !held.includes(run.id)) return []
    return { ...run, code: end.isFail ? 'FAIL' : end.error.code }
  })
}

async function toEnd({ end, held }: WaitingEnd): Promise<QueuedEnd> {
  return { ...end, runs: await held.prepare() }
}
