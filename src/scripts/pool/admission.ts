import { availableParallelism } from 'node:os'
import type { QueuedCapacity } from '../../domain/scripts/queued-capacity.ts'
import { overloaded, shuttingDown } from '../../errors.ts'
import { endBefore } from '../../signals/end-before.ts'
import { endsRoutinely } from '../kill-causes.ts'
import type { SandboxProcess } from '../launch/sandbox-process.ts'
import type { OutboundWaits } from '../outbound/outbound-waits.ts'
import { AdmissionPolicy } from './admission-policy.ts'
import { HeldSandboxes } from './held-sandboxes.ts'
import { QueuedShare } from './queued-share.ts'
import { RunQueue, type RunQueueLimits, type WaitingRun } from './run-queue.ts'
import type { SandboxPool } from './sandbox-pool.ts'

export interface AdmissionLimits extends RunQueueLimits {
  /** Maximum number of sandboxes. */
  readonly sandboxes: number
  /** Maximum number of them that compute at once; see rule 9 of the policy. The number of processors by default. */
  readonly computing?: number
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
  readonly queued?: boolean | undefined
  /** In milliseconds of `performance.now()`. No run waits longer. */
  readonly deadline: number
  readonly signal: AbortSignal
}

/** A sandbox for one run. */
export interface Admitted {
  readonly sandbox: SandboxProcess
  /**
   * Frees the account's share, whatever happened to the sandbox. Pass false if the run has not begun: then it is not
   * what destroyed the sandbox. A second call does nothing.
   */
  release(hasBegun?: boolean): void
}

// While runs are admitted, waiting ones follow soon, and more sandboxes than processors would not help.
const stallMs = 20
// A preempted run needs a moment to end.
const preemptionPauseMs = 50

/** Hands sandboxes to runs as the policy decides, lets runs wait, and starts sandboxes for them. */
export class Admission {
  readonly #pool: SandboxPool
  readonly #outboundWaits: OutboundWaits
  readonly #limits: AdmissionLimits
  readonly #readMs: () => number
  readonly #held: HeldSandboxes
  readonly #queue: RunQueue<SandboxProcess>
  readonly #queued: QueuedShare
  readonly #policy: AdmissionPolicy
  readonly #maxComputing: number
  #admittedAt = 0
  #preemptedAt = 0
  #growth: NodeJS.Timeout | null = null
  #closed = false
  #onFreeForQueued: () => void = () => undefined

  constructor({ pool, outboundWaits, limits, readMs = () => performance.now() }: AdmissionParts) {
    this.#pool = pool
    this.#outboundWaits = outboundWaits
    this.#limits = limits
    this.#readMs = readMs
    this.#held = new HeldSandboxes(limits.sandboxes, readMs)
    this.#queue = new RunQueue(limits)
    this.#queued = new QueuedShare(limits.sandboxes, readMs)
    this.#maxComputing = limits.computing ?? availableParallelism()
    this.#policy = new AdmissionPolicy({
      pool,
      maxComputing: this.#maxComputing,
      held: this.#held,
      queued: this.#queued,
      queue: this.#queue,
      readMs,
    })
    pool.onIdle(() => this.#serve())
  }

  /** Resolves with a sandbox. Rejects with `OVERLOADED` or with the signal's reason. */
  async acquire(request: AdmissionRequest): Promise<Admitted> {
    const { accountCode, nested, signal } = request
    signal.throwIfAborted()
    if (this.#closed) throw shuttingDown()
    if (request.queued) return this.#acquireQueued(accountCode)
    // Runs of other accounts need not be asked: if they wait while a sandbox is idle, they may not take it.
    const free = nested || this.#policy.mayGoAtOnce(accountCode) ? this.#take(accountCode, nested) : null
    if (free !== null) return this.#admit(accountCode, free)
    if (!this.#policy.canGrowFor(accountCode, nested)) {
      if (nested) throw overloaded('No sandbox is free for a run inside a run', 1)
      this.#queue.refuseWhenFull(accountCode, -this.#policy.heldBack(accountCode))
    } else if (nested) this.#pool.grow()
    return this.#admit(accountCode, await this.#wait(request))
  }

  /** The number of runs that wait for a sandbox. */
  get waiting(): number {
    return this.#queue.length
  }

  /** The sandboxes for queued runs. */
  readonly forQueued: QueuedCapacity = {
    free: () => (this.#closed ? 0 : this.#policy.freeForQueued()),
    freeOf: accountCode => Math.min(this.forQueued.free(), this.#policy.queuedShareOf(accountCode)),
    fullAccounts: () => this.#policy.accountsWithoutQueued(),
    want: areDue => {
      if (areDue) return this.#queued.want()
      const wasDue = this.#queued.isDue
      this.#queued.forgetWant()
      if (wasDue) this.#serve()
    },
    grow: () => {
      if (this.#closed || this.#queued.free === 0) return
      this.#queued.want()
      this.#growWhenStalled(1)
    },
    onFree: listener => {
      this.#onFreeForQueued = listener
    },
  }

  #acquireQueued(accountCode: string): Admitted {
    const sandbox = this.forQueued.freeOf(accountCode) > 0 ? this.#take(accountCode) : null
    if (sandbox === null) throw overloaded('No sandbox is free for a queued run', 1)
    return this.#admit(accountCode, sandbox, this.#queued.take(accountCode))
  }

  /** Refuses all waiting runs, because the gateway stops. */
  close(): void {
    this.#closed = true
    if (this.#growth !== null) clearTimeout(this.#growth)
    this.#queue.clear(shuttingDown())
  }

  // If no waiting run was admitted for a while and a processor is left, more sandboxes help.
  #growWhenStalled(waiting = this.#queue.length): void {
    if (this.#growth !== null || waiting === 0) return
    this.#growth = setTimeout(() => {
      this.#growth = null
      if (performance.now() - this.#admittedAt >= stallMs) this.#makeRoom(this.#policy.hasProcessor)
      this.#growWhenStalled()
    }, stallMs)
  }

  #makeRoom(hasProcessor: boolean): void {
    if (hasProcessor && this.#policy.demand() > 0) this.#pool.grow()
    if (this.#queue.length === 0) return hasProcessor ? this.#makeRoomForQueued() : undefined
    const now = performance.now()
    if (now - this.#preemptedAt < preemptionPauseMs) return
    if (this.#outboundWaits.preemptLongest(this.#policy.accountsToPreempt())) this.#preemptedAt = now
  }

  #makeRoomForQueued(): void {
    if (this.#pool.idle === 0 && this.#queued.free > 0) this.#pool.grow()
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
    while (this.#serveNext());
    this.#growWhenStalled()
    if (this.forQueued.free() === 0) return
    if (this.#queued.isDue) this.#queued.leave(() => this.#serve())
    this.#onFreeForQueued()
  }

  #serveNext(): boolean {
    for (const accountCode of this.#policy.byTurn()) {
      const nested = this.#queue.isNested(accountCode)
      if (!nested && this.#policy.isLeft(accountCode)) continue
      const sandbox = this.#take(accountCode, nested)
      if (sandbox === null) continue
      this.#queue.admit(accountCode, sandbox)
      return true
    }
    return false
  }

  #take(accountCode: string, nested = false): SandboxProcess | null {
    if (!this.#policy.mayTake(accountCode, nested) || !this.#policy.mayCompute(accountCode, nested))
      return null
    const mayRecover = (last: string) => !this.#policy.isDestroyer(last)
    const sandbox = this.#pool.takeIdle(accountCode, this.#maxComputing, mayRecover)
    if (sandbox === null) return null
    sandbox.occupy()
    this.#held.take(accountCode)
    this.#admittedAt = performance.now()
    return sandbox
  }

  #admit(accountCode: string, sandbox: SandboxProcess, onRelease = () => {}): Admitted {
    const heldSince = this.#readMs()
    let held = true
    return {
      sandbox,
      release: (hasBegun = true) => {
        if (!held) return
        held = false
        onRelease()
        this.#held.release(accountCode, heldSince)
        if (hasBegun) this.#noteEnd(accountCode, sandbox)
        this.#serve()
      },
    }
  }

  // A script can go on after its end. Then the sandbox counts toward its account's share again, unless a run has it.
  #noteEnd(accountCode: string, sandbox: SandboxProcess): void {
    const note = () =>
      this.#policy.noteEnd(accountCode, sandbox.isServing || endsRoutinely(sandbox.endReason))
    if (!sandbox.isServing || !sandbox.isRecovering) return note()
    let heldSince: number | null = null
    sandbox.recovery.follow({
      onLong: () => {
        if (!sandbox.isIdle) return
        heldSince = this.#readMs()
        this.#held.take(accountCode)
      },
      onEnd: () => {
        const wasMarked = this.#policy.isDestroyer(accountCode)
        note()
        if (heldSince !== null) this.#held.release(accountCode, heldSince)
        // A queued run of a marked account may wait for the end of this recovery.
        if (heldSince !== null || this.#queue.length > 0 || wasMarked) this.#serve()
      },
    })
  }
}
