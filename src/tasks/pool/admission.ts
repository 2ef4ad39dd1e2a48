import type { RostrumError } from '../../errors.ts'
import type { SandboxProcess } from '../launch/sandbox-process.ts'
import type { OutboundWaits } from '../outbound/outbound-waits.ts'
import { HeldSandboxes } from './held-sandboxes.ts'
import { overloaded, RunQueue, type RunQueueLimits, type WaitingRun } from './run-queue.ts'
import type { SandboxPool } from './sandbox-pool.ts'

export interface AdmissionLimits extends RunQueueLimits {
  /** Most sandboxes there may be. */
  readonly sandboxes: number
}

export interface AdmissionParts {
  readonly pool: SandboxPool
  readonly outboundWaits: OutboundWaits
  readonly limits: AdmissionLimits
}

export interface AdmissionRequest {
  readonly accountCode: string
  /** A run inside a run never waits for what its parent may hold: it is admitted at once or refused. */
  readonly nested: boolean
  /** On the clock of `performance.now()`: no run waits past it. */
  readonly deadline: number
  readonly signal: AbortSignal
}

/** A sandbox for one run; `release` gives the account's place back, whatever became of the sandbox. */
export interface Admitted {
  readonly sandbox: SandboxProcess
  release(): void
}

// While runs are admitted, who waits is soon next: more sandboxes than processors would only take turns on them.
const stalledMs = 20
// A run that is to give way needs a moment to end.
const betweenGivingWayMs = 50

/**
 * Decides which waiting run gets the next idle sandbox: one of the account that holds the fewest, in turn between those that hold
 * as many, first come first served within one. So an account that holds more than its share gets none while others wait. Of
 * four sandboxes or more the last free one goes only to an account that has no run going: one account cannot hold them all.
 * An account whose last run cost its sandbox leaves the last idle one to others until the next has booted. Where all are held,
 * a run that has waited long for other hosts gives way, of the account that holds the most, to one that holds fewer.
 */
export class Admission {
  readonly #pool: SandboxPool
  readonly #outboundWaits: OutboundWaits
  readonly #limits: AdmissionLimits
  readonly #held: HeldSandboxes
  readonly #queue: RunQueue<SandboxProcess>
  readonly #costly = new Set<string>()
  #admittedAt = 0
  #gaveWayAt = 0
  #growth: NodeJS.Timeout | null = null
  #closed = false

  constructor({ pool, outboundWaits, limits }: AdmissionParts) {
    this.#pool = pool
    this.#outboundWaits = outboundWaits
    this.#limits = limits
    this.#held = new HeldSandboxes(limits.sandboxes)
    this.#queue = new RunQueue(limits)
    pool.onIdle(() => this.#serve())
  }

  /** Resolves with a sandbox; rejects with `OVERLOADED`, or with the signal's reason. */
  async acquire(request: AdmissionRequest): Promise<Admitted> {
    const { accountCode, nested, signal } = request
    signal.throwIfAborted()
    if (this.#closed) throw stopping()
    // Whoever else waits while a sandbox is idle may not have it. Within an account first come is first served.
    const mayTake = nested || this.#queue.lengthOf(accountCode) === 0
    const free = mayTake ? this.#take(accountCode) : null
    if (free !== null) return this.#admit(accountCode, free)
    if (!this.#canGrowFor(accountCode)) {
      if (nested) throw overloaded('No sandbox is free for a run inside a run', 1)
      this.#queue.refuseWhenFull(accountCode)
    } else if (nested) this.#pool.grow(this.#demand() + 1)
    return this.#admit(accountCode, await this.#wait(request))
  }

  /** Refuses all who wait: the gateway stops. */
  close(): void {
    this.#closed = true
    if (this.#growth !== null) clearTimeout(this.#growth)
    this.#queue.clear(stopping())
  }

  // True where there may be one more sandbox than those who wait will take: it is nothing that somebody must give back.
  #canGrowFor(accountCode: string): boolean {
    const hasPlace = this.#held.freeFor(accountCode) > this.#queue.lengthOf(accountCode)
    return hasPlace && this.#pool.canGrow(this.#demand() + 1)
  }

  // Once those who wait have seen nobody admitted for a while, what holds the sandboxes up is not the processors.
  #growWhenStalled(): void {
    if (this.#growth !== null || this.#queue.length === 0) return
    this.#growth = setTimeout(() => {
      this.#growth = null
      if (performance.now() - this.#admittedAt >= stalledMs) this.#makeRoom()
      this.#growWhenStalled()
    }, stalledMs)
  }

  #makeRoom(): void {
    this.#pool.grow(this.#demand())
    const now = performance.now()
    if (!this.#held.areAllHeld || now - this.#gaveWayAt < betweenGivingWayMs) return
    const [first = ''] = this.#inTurn()
    if (this.#outboundWaits.endLongest(this.#held.richerThan(this.#held.by(first)))) this.#gaveWayAt = now
  }

  // How many sandboxes those who wait could take at once.
  #demand(): number {
    return this.#queue
      .lengths()
      .reduce(
        (demand, [accountCode, length]) => demand + Math.min(length, this.#held.freeFor(accountCode)),
        0,
      )
  }

  /**
   * Keeps a place for a run that is on its way here, so that one too many is refused before it is read; `OVERLOADED` where
   * there is none. What it gives is to be called when the run is here, or will not come.
   */
  holdPlace(accountCode: string): () => void {
    return this.#queue.holdPlace(accountCode, this.#held.freeFor(accountCode))
  }

  async #wait({ accountCode, deadline, signal }: AdmissionRequest): Promise<SandboxProcess> {
    const { promise, resolve, reject } = Promise.withResolvers<SandboxProcess>()
    const waiting: WaitingRun<SandboxProcess> = { admit: resolve, refuse: reject }
    const giveUp = (reason: unknown) => {
      this.#queue.remove(accountCode, waiting)
      reject(reason)
    }
    const waitMs = Math.max(0, Math.min(this.#limits.waitMs, Math.floor(deadline - performance.now())))
    const refuse = () =>
      giveUp(overloaded(`No sandbox came free within ${waitMs} ms`, Math.ceil(waitMs / 1000)))
    const timer = setTimeout(refuse, waitMs)
    const onAbort = () => giveUp(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#queue.add(accountCode, waiting)
    this.#serve()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }

  // One at a time, since whose turn is next follows from what each then holds.
  #serve(): void {
    while (this.#serveNext());
    this.#growWhenStalled()
  }

  #serveNext(): boolean {
    for (const accountCode of this.#inTurn()) {
      const sandbox = this.#take(accountCode)
      if (sandbox === null) continue
      this.#queue.admit(accountCode, sandbox)
      return true
    }
    return false
  }

  // The accounts that wait, those that hold the fewest first.
  #inTurn(): string[] {
    return this.#queue.accounts().sort((a, b) => this.#held.by(a) - this.#held.by(b))
  }

  #take(accountCode: string): SandboxProcess | null {
    if (this.#held.freeFor(accountCode) === 0) return null
    if (this.#costly.has(accountCode) && this.#pool.isShort) return null
    const sandbox = this.#pool.takeIdle(accountCode)
    if (sandbox === null) return null
    sandbox.occupy()
    this.#held.take(accountCode)
    this.#admittedAt = performance.now()
    return sandbox
  }

  #admit(accountCode: string, sandbox: SandboxProcess): Admitted {
    let held = true
    return {
      sandbox,
      release: () => {
        if (!held) return
        held = false
        this.#held.giveBack(accountCode)
        if (sandbox.isServing) this.#costly.delete(accountCode)
        else this.#costly.add(accountCode)
        this.#serve()
      },
    }
  }
}

function stopping(): RostrumError {
  return overloaded('The gateway stops', 1)
}
