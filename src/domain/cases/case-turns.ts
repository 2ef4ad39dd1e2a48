import { overloaded, type RostrumError } from '../../errors.ts'
import { OwnerCounts } from '../../fairness/owner-counts.ts'
import { Places } from '../../fairness/places.ts'

export interface TurnRequest {
  readonly accountCode: string
  readonly id: number
  /** The time at which the wait ends, in milliseconds of `performance.now()`. */
  readonly deadline: number
  readonly signal: AbortSignal
}

export interface CaseTurn {
  /** True if another save or delete of the case ran first. */
  readonly hasWaited: boolean
  end(): void
}

// Maximum number of waiting saves of an account. Each one has its data in memory.
const maxWaiting = 256

/** Makes saves and deletes of the same case take turns within this gateway (contract, section 7, step 2). */
export class CaseTurns {
  readonly #places = new Places({ each: 1 })
  readonly #waiting = new OwnerCounts()

  /** Waits for the turn. Throws `OVERLOADED` if too many saves of the account wait, and if the deadline passes. */
  async take({ accountCode, id, deadline, signal }: TurnRequest): Promise<CaseTurn> {
    let hasWaited = false
    const beginWaiting = () => {
      this.#refuseWhenFull(accountCode)
      signal.throwIfAborted()
      const ms = deadline - performance.now()
      if (ms <= 0) throw tooLate()
      this.#waiting.add(accountCode, 1)
      hasWaited = true
      return { signal, after: { ms, error: tooLate } }
    }
    try {
      const place = await this.#places.take(`${id} ${accountCode}`, beginWaiting)
      return { hasWaited, end: place.leave }
    } finally {
      if (hasWaited) this.#waiting.add(accountCode, -1)
    }
  }

  #refuseWhenFull(accountCode: string): void {
    const waiting = this.#waiting.of(accountCode)
    if (waiting < maxWaiting) return
    throw overloaded(
      `${waiting} saves of this account are waiting already, the maximum. Nothing was changed`,
      1,
    )
  }
}

function tooLate(): RostrumError {
  return overloaded('Other saves of this case took too long. Nothing was changed', 1)
}
