import { overloaded, RostrumError } from '../../errors.ts'
import type { BodyMemory } from './collect-body.ts'

// Single bytes are no progress: a body keeps its place only at a pace of about 40 KiB a second.
const minProgressBytes = 4 * 2 ** 10
const minStalledMs = 100
// Maximum number of waiting bodies. Each holds one read of its socket, 64 KiB, which is not counted.
const maxWaiting = 256
const pollEveryMs = 25

/** The error of a body that did not arrive, with the status of its answer. */
export class ArrivalError extends RostrumError {
  readonly status: number

  constructor(status: number, message: string) {
    super('BAD_USER_INPUT', message)
    this.status = status
  }
}

/** The memory of one body. */
export interface ArrivingBody extends BodyMemory {
  /** Keeps the memory of a body that has arrived whole. It is no longer cut for other bodies. */
  complete(): void
  release(): void
}

interface Entry {
  bytes: number
  /** Bytes that had arrived at its latest progress. */
  arrivedBytes: number
  progressAt: number
  readonly giveWay: () => void
}

interface Waiting {
  readonly entry: Entry
  readonly more: number
  readonly until: number
  readonly resolve: () => void
  readonly reject: (error: RostrumError) => void
}

/**
 * Counts the memory of bodies whose senders are not known, which share one maximum. When it is reached, the body that
 * has stalled longest is refused. If all make progress, the next one waits until one of them stalls or ends. Bodies
 * that stall for a short time are refused only while many wait.
 */
export class ArrivingBodies {
  readonly #maxBytes: number
  readonly #maxWaitMs: number
  #bytes = 0
  /** In the order of their latest progress: the first one has stalled longest. */
  readonly #byProgress = new Set<Entry>()
  readonly #waiting = new Set<Waiting>()
  #looking: NodeJS.Timeout | null = null

  constructor(maxBytes: number, maxWaitMs = 2_000) {
    this.#maxBytes = maxBytes
    this.#maxWaitMs = maxWaitMs
  }

  /** Adds a body without bytes. `giveWay` ends it. */
  enter(giveWay: () => void): ArrivingBody {
    const entry: Entry = { bytes: 0, arrivedBytes: 0, progressAt: 0, giveWay }
    return {
      reserve: bytes => this.#reserve(entry, bytes - entry.bytes),
      arrived: bytes => {
        if (bytes - entry.arrivedBytes < minProgressBytes || !this.#byProgress.has(entry)) return
        entry.arrivedBytes = bytes
        this.#noteProgress(entry)
      },
      complete: () => void this.#byProgress.delete(entry),
      release: () => {
        this.#drop(entry)
        this.#serve()
      },
    }
  }

  #reserve(entry: Entry, more: number): Promise<void> | null {
    if (more <= 0) return null
    this.#byProgress.delete(entry)
    const isCrowded = this.#waiting.size >= maxWaiting
    if ((this.#waiting.size === 0 || isCrowded) && this.#makeRoom(more)) {
      this.#grant(entry, more)
      return null
    }
    if (isCrowded) throw this.#overloaded()
    return new Promise((resolve, reject) => {
      this.#waiting.add({ entry, more, until: performance.now() + this.#maxWaitMs, resolve, reject })
      this.#looking ??= setInterval(() => this.#serve(), pollEveryMs).unref()
    })
  }

  #makeRoom(bytes: number): boolean {
    const stalledMs = this.#waiting.size >= maxWaiting ? 0 : minStalledMs
    const stalledSince = performance.now() - stalledMs
    for (const entry of this.#byProgress) {
      if (this.#bytes + bytes <= this.#maxBytes || entry.progressAt > stalledSince) break
      this.#drop(entry)
      entry.giveWay()
    }
    return this.#bytes + bytes <= this.#maxBytes
  }

  #grant(entry: Entry, more: number): void {
    this.#bytes += more
    entry.bytes += more
    this.#noteProgress(entry)
  }

  #noteProgress(entry: Entry): void {
    entry.progressAt = performance.now()
    this.#byProgress.delete(entry)
    this.#byProgress.add(entry)
  }

  #drop(entry: Entry): void {
    this.#byProgress.delete(entry)
    this.#bytes -= entry.bytes
    entry.bytes = 0
    for (const waiting of this.#waiting) if (waiting.entry === entry) this.#waiting.delete(waiting)
  }

  /** Serves the waiting bodies, first come, first served. */
  #serve(): void {
    const now = performance.now()
    for (const waiting of this.#waiting) {
      const { entry, more, until, resolve, reject } = waiting
      if (this.#makeRoom(more)) {
        this.#waiting.delete(waiting)
        this.#grant(entry, more)
        resolve()
      } else if (now > until) {
        this.#waiting.delete(waiting)
        reject(this.#overloaded())
      } else break
    }
    this.#refuseLastOfMutual()
    if (this.#waiting.size > 0 || this.#looking === null) return
    clearInterval(this.#looking)
    this.#looking = null
  }

  // Bodies that wait for each other would wait forever if they held all the memory. The last one is refused, and the
  // others get its part.
  #refuseLastOfMutual(): void {
    const holding = [...this.#waiting].filter(({ entry }) => entry.bytes > 0)
    const last = holding.at(-1)
    if (last === undefined || holding.reduce((sum, { entry }) => sum + entry.bytes, 0) < this.#bytes) return
    this.#drop(last.entry)
    last.reject(this.#overloaded())
  }

  #overloaded(): RostrumError {
    return overloaded(
      `Deliveries of ${this.#bytes} bytes of all senders are held already, about the maximum`,
      1,
    )
  }
}
