import { RostrumError } from '../errors.ts'
import type { SandboxPool } from './sandbox-pool.ts'
import type { SandboxProcess } from './sandbox-process.ts'

export interface AdmissionLimits {
  /** Runs that may wait, of all accounts and of one, and how long each. */
  readonly runs: number
  readonly accountRuns: number
  readonly waitMs: number
  /** Most sandboxes there may be. */
  readonly sandboxes: number
}

interface Waiting {
  readonly accountCode: string
  readonly admit: (sandbox: SandboxProcess) => void
  readonly refuse: (error: RostrumError) => void
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

// With fewer than this, one kept free would be too much to keep.
const leastToKeepOneFree = 4

/**
 * Decides which waiting run gets the next idle sandbox: in turn between accounts, first come first served within one. Of
 * four sandboxes or more the last free one goes only to an account that has no run going: one account cannot hold them all.
 */
export class Admission {
  readonly #pool: SandboxPool
  readonly #limits: AdmissionLimits
  readonly #keepsOneFree: boolean
  readonly #running = new Map<string, number>()
  // In the order in which the accounts are served: the one served last goes to the end.
  readonly #queues = new Map<string, Waiting[]>()
  #held = 0
  #waiting = 0
  #closed = false

  constructor(pool: SandboxPool, limits: AdmissionLimits) {
    this.#pool = pool
    this.#limits = limits
    this.#keepsOneFree = limits.sandboxes >= leastToKeepOneFree
    pool.onIdle(() => this.#serve())
  }

  /** Resolves with a sandbox; rejects with `OVERLOADED`, or with the signal's reason. */
  async acquire(request: AdmissionRequest): Promise<Admitted> {
    const { accountCode, nested, signal } = request
    signal.throwIfAborted()
    if (this.#closed) throw stopping()
    // Whoever else waits while a sandbox is idle may not have it. Within an account first come is first served.
    const free = nested || !this.#queues.has(accountCode) ? this.#take(accountCode) : null
    if (free !== null) return this.#admit(accountCode, free)
    if (!this.#canGrowFor(accountCode)) {
      if (nested) throw overloaded('No sandbox is free for a run inside a run', 1)
      this.#refuseWhenFull(accountCode)
    }
    return this.#admit(accountCode, await this.#wait(request))
  }

  /** Refuses all who wait: the gateway stops. */
  close(): void {
    this.#closed = true
    for (const queue of [...this.#queues.values()]) {
      for (const waiting of [...queue]) {
        this.#leaveQueue(waiting)
        waiting.refuse(stopping())
      }
    }
  }

  // True where one more sandbox is on its way than those who wait will take: it is nothing that somebody must give back.
  #canGrowFor(accountCode: string): boolean {
    return (
      this.#freePlaces(accountCode) > (this.#queues.get(accountCode)?.length ?? 0) &&
      this.#pool.grow(this.#demand() + 1)
    )
  }

  /** How many sandboxes those who wait could take at once. */
  #demand(): number {
    let demand = 0
    for (const [accountCode, queue] of this.#queues)
      demand += Math.min(queue.length, this.#freePlaces(accountCode))
    return demand
  }

  #freePlaces(accountCode: string): number {
    const free = this.#limits.sandboxes - this.#held
    return this.#keepsOneFree && this.#running.has(accountCode) ? free - 1 : free
  }

  #refuseWhenFull(accountCode: string): void {
    const { runs, accountRuns, waitMs } = this.#limits
    const retryAfterSeconds = Math.ceil(waitMs / 1000)
    if (this.#waiting >= runs) {
      throw overloaded(`${runs} runs are waiting already, the most there may be`, retryAfterSeconds)
    }
    if ((this.#queues.get(accountCode)?.length ?? 0) >= accountRuns) {
      throw overloaded(
        `${accountRuns} runs of this account are waiting already, the most there may be`,
        retryAfterSeconds,
      )
    }
  }

  async #wait({ accountCode, deadline, signal }: AdmissionRequest): Promise<SandboxProcess> {
    const { promise, resolve, reject } = Promise.withResolvers<SandboxProcess>()
    const waiting: Waiting = { accountCode, admit: resolve, refuse: reject }
    const queue = this.#queues.get(accountCode) ?? []
    queue.push(waiting)
    this.#queues.set(accountCode, queue)
    this.#waiting++
    const waitMs = Math.max(0, Math.min(this.#limits.waitMs, Math.floor(deadline - performance.now())))
    const timer = setTimeout(() => {
      this.#leaveQueue(waiting)
      reject(overloaded(`No sandbox came free within ${waitMs} ms`, Math.max(1, Math.ceil(waitMs / 1000))))
    }, waitMs)
    const onAbort = () => {
      this.#leaveQueue(waiting)
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    this.#serve()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }

  #leaveQueue(waiting: Waiting): void {
    const queue = this.#queues.get(waiting.accountCode)
    const at = queue?.indexOf(waiting) ?? -1
    if (queue === undefined || at < 0) return
    queue.splice(at, 1)
    this.#waiting--
    if (queue.length === 0) this.#queues.delete(waiting.accountCode)
  }

  #serve(): void {
    for (const [accountCode, queue] of [...this.#queues]) {
      const next = queue[0]
      if (next === undefined) continue
      const sandbox = this.#take(accountCode)
      if (sandbox === null) continue
      this.#leaveQueue(next)
      const rest = this.#queues.get(accountCode)
      if (rest !== undefined) {
        this.#queues.delete(accountCode)
        this.#queues.set(accountCode, rest)
      }
      next.admit(sandbox)
    }
    this.#pool.grow(this.#demand())
  }

  #take(accountCode: string): SandboxProcess | null {
    if (this.#freePlaces(accountCode) <= 0) return null
    const sandbox = this.#pool.takeIdle(accountCode)
    if (sandbox === null) return null
    sandbox.occupy()
    this.#held++
    this.#running.set(accountCode, (this.#running.get(accountCode) ?? 0) + 1)
    return sandbox
  }

  #admit(accountCode: string, sandbox: SandboxProcess): Admitted {
    let held = true
    return {
      sandbox,
      release: () => {
        if (!held) return
        held = false
        this.#held--
        const running = (this.#running.get(accountCode) ?? 1) - 1
        if (running > 0) this.#running.set(accountCode, running)
        else this.#running.delete(accountCode)
        this.#serve()
      },
    }
  }
}

function stopping(): RostrumError {
  return overloaded('The gateway stops', 1)
}

function overloaded(message: string, retryAfterSeconds: number): RostrumError {
  return new RostrumError('OVERLOADED', `${message}. Try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  })
}
