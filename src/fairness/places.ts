import { type Ending, endBefore } from '../signals/end-before.ts'
import { FairQueue } from './fair-queue.ts'
import { OwnerCounts } from './owner-counts.ts'
import type { ShareOwner } from './share-owner.ts'

const nothing = (): void => undefined

/** A place for one piece of work: permission to run. */
export interface Place {
  /** Calls `begin` as soon as the owner has a free place. Returns true if it was called at once. */
  readonly take: (begin: () => void) => boolean
  /** Ends the wait or frees the place. Does nothing if `take` was not called. */
  readonly leave: () => void
}

export interface PlaceLimits {
  /** Maximum number of places of one owner. */
  readonly each: number
  /** Maximum number of places of all owners together. */
  readonly total?: number
}

/**
 * Limits how much work runs at once, per owner and in total. Owners take turns. The work of one owner starts in order
 * of arrival.
 */
export class Places<Owner extends ShareOwner = string> {
  readonly #each: number
  readonly #total: number
  readonly #taken = new OwnerCounts<Owner>()
  readonly #waiting = new FairQueue<() => void, Owner>()

  constructor({ each, total = Number.POSITIVE_INFINITY }: PlaceLimits) {
    this.#each = each
    this.#total = total
  }

  /** Returns a place that must still be taken by `take`. */
  placeFor(owner: Owner): Place {
    let leave = nothing
    return {
      take: begin => {
        const start = () => {
          this.#taken.add(owner, 1)
          leave = () => this.#leave(owner)
          begin()
        }
        const isFree = this.#isFreeFor(owner)
        if (isFree) start()
        else {
          leave = () => this.#waiting.remove(owner, start)
          this.#waiting.add(owner, start)
        }
        return isFree
      },
      leave: () => {
        const end = leave
        leave = nothing
        end()
      },
    }
  }

  /**
   * Resolves with a taken place. If that needs a wait, calls `beginWaiting`, which returns what ends the wait early.
   */
  async take(owner: Owner, beginWaiting: () => Ending = () => ({})): Promise<Place> {
    const place = this.placeFor(owner)
    const { promise, resolve } = Promise.withResolvers<void>()
    if (place.take(resolve)) return place
    try {
      await endBefore(promise, beginWaiting())
      return place
    } catch (error) {
      place.leave()
      throw error
    }
  }

  #isFreeFor(owner: Owner): boolean {
    return this.#taken.total < this.#total && this.#taken.of(owner) < this.#each
  }

  #leave(owner: Owner): void {
    // If only this owner's limit was reached, only this owner can take the free place. Otherwise any owner can.
    const owners = this.#taken.total < this.#total ? [owner] : this.#waiting.owners()
    this.#taken.add(owner, -1)
    const next = Iterator.from(owners).find(each => this.#isFreeFor(each))
    if (next !== undefined) this.#waiting.serve(next)?.()
  }
}
