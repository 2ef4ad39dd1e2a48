import { setImmediate as nextTurn } from 'node:timers/promises'
import { FairQueue } from '../../limits/fair-queue.ts'

// Each iteration of the event loop reads up to 64 KiB of each body that arrives: a megabyte of these.
const maxBodiesOfAccount = 16

/** The place of one body. */
export interface BodyPlace {
  /** Calls `begin` at once, or when the account has a free place. */
  readonly take: (begin: () => void) => void
  /** Ends the waiting, or frees the place. Does nothing where none was asked for. */
  readonly leave: () => void
}

/**
 * Places for the long bodies that arrive. Each account has 16; its further long bodies stay in the buffers of the
 * system until one of them has been read.
 */
export class BodyPlaces {
  readonly #taken = new Map<string, number>()
  readonly #waiting = new FairQueue<() => void>()
  readonly #lastInChunks = new Map<string, Promise<void>>()

  /**
   * Resolves when it is the turn of a body in chunks: an account begins one in each iteration of the event loop. A
   * read of 64 KiB may hold ten thousand chunks, which take 10 ms.
   */
  async takeTurnInChunks(accountCode: string): Promise<void> {
    const turn = (this.#lastInChunks.get(accountCode) ?? Promise.resolve()).then(() => nextTurn())
    this.#lastInChunks.set(accountCode, turn)
    await turn
    if (this.#lastInChunks.get(accountCode) === turn) this.#lastInChunks.delete(accountCode)
  }

  hold(accountCode: string): BodyPlace {
    let leave = () => undefined as void
    return {
      take: begin => {
        const taken = this.#taken.get(accountCode) ?? 0
        const start = () => {
          leave = () => this.#leave(accountCode)
          begin()
        }
        if (taken === maxBodiesOfAccount) {
          leave = () => this.#waiting.remove(accountCode, start)
          this.#waiting.add(accountCode, start)
          return
        }
        this.#taken.set(accountCode, taken + 1)
        start()
      },
      leave: () => {
        leave()
        leave = () => undefined
      },
    }
  }

  #leave(accountCode: string): void {
    const next = this.#waiting.serve(accountCode)
    if (next !== undefined) return next()
    const left = (this.#taken.get(accountCode) ?? 1) - 1
    if (left === 0) this.#taken.delete(accountCode)
    else this.#taken.set(accountCode, left)
  }
}
