import { FairQueue } from './fair-queue.ts'

const nothing = (): void => undefined

/** The place of one piece of work. */
export interface AccountPlace {
  /** Calls `begin` at once, or when the account has a free place. */
  readonly take: (begin: () => void) => void
  /** Ends the waiting, or frees the place. Does nothing if `take` was not called. */
  readonly leave: () => void
}

/** Gives each account a number of places. Further work of the account waits, first come, first served. */
export class AccountPlaces {
  readonly #maxPlaces: number
  readonly #taken = new Map<string, number>()
  readonly #waiting = new FairQueue<() => void>()

  constructor(maxPlaces: number) {
    this.#maxPlaces = maxPlaces
  }

  hold(accountCode: string): AccountPlace {
    let leave = nothing
    return {
      take: begin => {
        const taken = this.#taken.get(accountCode) ?? 0
        const start = () => {
          leave = () => this.#leave(accountCode)
          begin()
        }
        if (taken === this.#maxPlaces) {
          leave = () => this.#waiting.remove(accountCode, start)
          this.#waiting.add(accountCode, start)
          return
        }
        this.#taken.set(accountCode, taken + 1)
        start()
      },
      leave: () => {
        leave()
        leave = nothing
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
