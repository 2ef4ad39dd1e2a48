import { endBefore } from '../../end-before.ts'
import type { RostrumError } from '../../errors.ts'
import type { SandboxProcess } from '../launch/sandbox-process.ts'
import type { OutboundWaits } from '../outbound/outbound-waits.ts'
import { HeldSandboxes } from './held-sandboxes.ts'
import { QueuedShare } from './queued-share.ts'
import { overloaded, RunQueue, type RunQueueLimits, type WaitingRun } from './run-queue.ts'
import type { SandboxPool } from './sandbox-pool.ts'

export interface AdmissionLimits extends RunQueueLimits {
  /** Maximum number of sandboxes. */
  readonly sandboxes: number
}

export interface AdmissionParts {
  readonly pool: SandboxPool
  readonly outboundWaits: OutboundWaits
  readonly limits: AdmissionLimits
  /** The clock that measures how long accounts hold sandboxes. */
  readonly readMs?: () => number
}

export interface AdmissionRequest {
  readonly accountCode: string
  /** A nested run is admitted at once or refused: it must not wait for a sandbox that its parent holds. */
  readonly nested: boolean
  /** A queued run is admitted at once or refused, too: requests come first. False by default. */
  readonly queued?: boolean
  /** In milliseconds of `performance.now()`. No run waits longer. */
  readonly deadline: number
  readonly signal: AbortSignal
}

/** A sandbox for one run. `release` frees the account's share, whatever happened to the sandbox. */
export interface Admitted {
  readonly sandbox: SandboxProcess
  release(): void
}

// While runs are admitted, waiting ones follow soon, and more sandboxes than processors would not help.
const stallMs = 20
// A preempted run needs a moment to end.
const preemptionPauseMs = 50

/**
 * Decides which waiting run gets the next idle sandbox:
 *
 * - The account that holds the fewest sandboxes comes first; of accounts with equally many, the one that has lately
 *   held them for the least time. Runs of one account go in order of arrival.
 * - An account holds at most five eighths of the sandboxes, rounded down, and at least one. A run inside a run may go
 *   past that, so that a chain of four fits where there are fewer than eight sandboxes.
 * - With four sandboxes or more, the last free one goes only to an account without a run.
 * - An account whose last run destroyed its sandbox leaves the last idle one to others until the next has booted.
 * - If all sandboxes are held, a run that has waited long for other hosts, of the account that holds the most, is
 *   preempted.
 * - Queued runs take idle sandboxes while no other run waits. While others wait, one queued run a second gets one, and
 *   each account leaves the last one of its share to it.
 * - Queued runs hold at most half of the sandboxes. An account with queued runs leaves the last one of that half to an
 *   account that has none there.
 */
export class Admission {
  readonly #pool: SandboxPool
  readonly #outboundWaits: OutboundWaits
  readonly #limits: AdmissionLimits
  readonly #readMs: () => number
  readonly #held: HeldSandboxes
  readonly #queue: RunQueue<SandboxProcess>
  readonly #queued: QueuedShare
  readonly #destroyers = new Set<string>()
  #admittedAt = 0
  #preemptedAt = 0
  #growth: NodeJS.Timeout | null = null
  #closed = false

  constructor({ pool, outboundWaits, limits, readMs = () => performance.now() }: AdmissionParts) {
    this.#pool = pool
    this.#outboundWaits = outboundWaits
    this.#limits = limits
    this.#readMs = readMs
    this.#held = new HeldSandboxes(limits.sandboxes, readMs)
    this.#queue = new RunQueue(limits)
    this.#queued = new QueuedShare(limits.sandboxes, readMs)
    pool.onIdle(() => this.#serve())
  }

  /** Resolves with a sandbox. Rejects with `OVERLOADED` or with the signal's reason. */
  async acquire(request: AdmissionRequest): Promise<Admitted> {
    const { accountCode, nested, signal } = request
    signal.throwIfAborted()
    if (this.#closed) throw stopping()
    if (request.queued) return this.#acquireQueued(accountCode)
    // Other accounts that wait while a sandbox is idle may not take it. Runs of one account go in order of arrival.
    const mayTake = nested || (this.#queue.lengthOf(accountCode) === 0 && !this.#isLeft(accountCode))
    const free = mayTake ? this.#take(accountCode, nested) : null
    if (free !== null) return this.#admit(accountCode, free)
    if (!this.#canGrowFor(accountCode, nested)) {
      if (nested) throw overloaded('No sandbox is free for a run inside a run', 1)
      this.#queue.refuseWhenFull(accountCode)
    } else if (nested) this.#pool.grow()
    return this.#admit(accountCode, await this.#wait(request))
  }

  /** How many queued runs could begin now, of all accounts. */
  freeForQueued(): number {
    if (this.#closed) return 0
    const free = Math.min(this.#queued.free, this.#pool.idle)
    if (this.#queue.length === 0) return free
    return this.#queued.isDue ? Math.min(free, 1) : 0
  }

  /** The same for one account, whose share may be less. */
  freeForQueuedOf(accountCode: string): number {
    return Math.min(this.freeForQueued(), this.#queuedShareOf(accountCode))
  }

  /** The accounts that hold so much that no queued run of theirs may begin. */
  accountsWithoutQueued(): string[] {
    return this.#held.accounts().filter(accountCode => this.#queuedShareOf(accountCode) === 0)
  }

  #queuedShareOf(accountCode: string): number {
    return Math.min(this.#queued.freeFor(accountCode), this.#held.freeFor(accountCode))
  }

  /** For queued runs that wait: starts one more sandbox if all are busy for a while. */
  growForQueued(): void {
    if (this.#closed || this.#queued.free === 0) return
    this.#queued.want()
    this.#growWhenStalled(1)
  }

  /** Sets the listener that is called when a queued run may find a sandbox. */
  onFreeForQueued(listener: () => void): void {
    this.#queued.onFree(listener)
  }

  #acquireQueued(accountCode: string): Admitted {
    const sandbox = this.freeForQueuedOf(accountCode) > 0 ? this.#take(accountCode) : null
    if (sandbox === null) throw overloaded('No sandbox is free for a queued run', 1)
    const release = this.#queued.take(accountCode)
    const admitted = this.#admit(accountCode, sandbox)
    return {
      sandbox,
      release() {
        release()
        admitted.release()
      },
    }
  }

  /** Refuses all waiting runs, because the gateway stops. */
  close(): void {
    this.#closed = true
    if (this.#growth !== null) clearTimeout(this.#growth)
    this.#queue.clear(stopping())
  }

  // True if a new sandbox can start for the account on top of those that waiting runs will take.
  #canGrowFor(accountCode: string, nested: boolean): boolean {
    const hasShare = this.#held.freeFor(accountCode, nested) > this.#queue.lengthOf(accountCode)
    return hasShare && this.#pool.canGrow(this.#demand() + 1)
  }

  // If no waiting run was admitted for a while, the processors are not the bottleneck, and more sandboxes help.
  #growWhenStalled(waiting = this.#queue.length): void {
    if (this.#growth !== null || waiting === 0) return
    this.#growth = setTimeout(() => {
      this.#growth = null
      if (performance.now() - this.#admittedAt >= stallMs) this.#makeRoom()
      this.#growWhenStalled()
    }, stallMs)
  }

  #makeRoom(): void {
    if (this.#demand() > 0) this.#pool.grow()
    if (this.#queue.length === 0) return this.#makeRoomForQueued()
    const now = performance.now()
    if (!this.#held.areAllHeld || now - this.#preemptedAt < preemptionPauseMs) return
    const [first = ''] = this.#inTurn()
    if (this.#outboundWaits.preemptLongest(this.#held.accountsAbove(this.#held.by(first))))
      this.#preemptedAt = now
  }

  #makeRoomForQueued(): void {
    if (this.#pool.idle === 0 && this.#queued.free > 0) this.#pool.grow()
  }

  // How many sandboxes the waiting runs could take now.
  #demand(): number {
    return this.#queue
      .lengths()
      .reduce((demand, [accountCode, length]) => demand + Math.min(length, this.#freeForNext(accountCode)), 0)
  }

  #freeForNext(accountCode: string): number {
    return this.#held.freeFor(accountCode, this.#queue.isNested(accountCode))
  }

  /**
   * Reserves a queue slot for a run whose request is still being read, so that one too many is refused early. Throws
   * `OVERLOADED` if there is none. Call the function it returns when the run has arrived or will not come.
   */
  reserveSlot(accountCode: string): () => void {
    return this.#queue.reserveSlot(accountCode, this.#held.freeFor(accountCode))
  }

  #wait({ accountCode, nested, deadline, signal }: AdmissionRequest): Promise<SandboxProcess> {
    const { promise, resolve, reject } = Promise.withResolvers<SandboxProcess>()
    const waiting: WaitingRun<SandboxProcess> = { nested, admit: resolve, refuse: reject }
    const waitMs = Math.max(0, Math.min(this.#limits.waitMs, Math.floor(deadline - performance.now())))
    const error = () => overloaded(`No sandbox became free within ${waitMs} ms`, Math.ceil(waitMs / 1000))
    const onEnd = () => this.#queue.remove(accountCode, waiting)
    const ended = endBefore(promise, { signal, after: { ms: waitMs, error }, onEnd })
    this.#queue.add(accountCode, waiting)
    this.#serve()
    return ended
  }

  // Serves one run at a time, because each changes which account is next.
  #serve(): void {
    while (!this.#isLastLeft() && this.#serveNext());
    this.#growWhenStalled()
    if (this.freeForQueued() === 0) return
    if (this.#queued.isDue) this.#queued.leave(() => this.#serve())
    this.#queued.announceFree()
  }

  // True if the last idle sandbox is left to a queued run.
  #isLastLeft(): boolean {
    return this.#queued.isDue && this.#pool.idle === 1
  }

  // True if the last idle sandbox, or the last one of the account's share, is left to a queued run. The queue does not
  // say whose run is due: it may be one of the account that floods.
  #isLeft(accountCode: string): boolean {
    return this.#isLastLeft() || (this.#queued.isDue && this.#held.freeFor(accountCode) === 1)
  }

  #serveNext(): boolean {
    for (const accountCode of this.#inTurn()) {
      const nested = this.#queue.isNested(accountCode)
      if (!nested && this.#isLeft(accountCode)) continue
      const sandbox = this.#take(accountCode, nested)
      if (sandbox === null) continue
      this.#queue.admit(accountCode, sandbox)
      return true
    }
    return false
  }

  #inTurn(): string[] {
    return this.#held.inTurn(this.#queue.accounts())
  }

  #take(accountCode: string, nested = false): SandboxProcess | null {
    if (this.#held.freeFor(accountCode, nested) === 0) return null
    if (this.#destroyers.has(accountCode) && this.#pool.isShort) return null
    const sandbox = this.#pool.takeIdle(accountCode)
    if (sandbox === null) return null
    sandbox.occupy()
    this.#held.take(accountCode)
    this.#admittedAt = performance.now()
    return sandbox
  }

  #admit(accountCode: string, sandbox: SandboxProcess): Admitted {
    const heldSince = this.#readMs()
    let held = true
    return {
      sandbox,
      release: () => {
        if (!held) return
        held = false
        this.#held.release(accountCode, heldSince)
        if (sandbox.isServing) this.#destroyers.delete(accountCode)
        else this.#destroyers.add(accountCode)
        this.#serve()
      },
    }
  }
}

function stopping(): RostrumError {
  return overloaded('The gateway is stopping', 1)
}
