import { setImmediate as nextTurn } from 'node:timers/promises'
import { AccountBudget } from '../../fairness/account-budget.ts'
import { Places } from '../../fairness/places.ts'
import type { ShareOwner } from '../../fairness/share-owner.ts'

/** The memory of requests and streams, counted to their accounts. */
export interface HttpBudgets {
  /** Bodies, from their announcement to the answer. */
  readonly bodies: AccountBudget
  /**
   * Places for the long bodies of an account that arrive at once. The next bodies stay in the buffers of the system.
   */
  readonly bodyPlaces: Places
  readonly chunkTurns: ChunkTurns
  /** Documents and variables of open streams. */
  readonly streams: AccountBudget
}

// A parsed body takes twice its bytes, so an account can have 32 of the largest in flight.
const maxLargestBodies = 64
const minBodyBytes = 16 * 2 ** 20
// Each iteration of the event loop reads up to 64 KiB of each body that arrives: a megabyte of these.
const maxBodiesAtOnce = 16
const maxStreamBytes = 16 * 2 ** 20

export function createHttpBudgets(bodyBytes: number): HttpBudgets {
  const ofBodies = Math.max(maxLargestBodies * bodyBytes, minBodyBytes)
  return {
    bodies: new AccountBudget(shared(ofBodies), {
      describe: held => `Bodies of ${held} bytes`,
      retryAfterSeconds: 1,
    }),
    bodyPlaces: new Places({ each: maxBodiesAtOnce }),
    chunkTurns: new ChunkTurns(),
    streams: new AccountBudget(shared(maxStreamBytes), {
      describe: held => `Streams with documents and variables of ${held} bytes`,
      retryAfterSeconds: 5,
    }),
  }
}

// Two accounts can be at their maximum while a third one still has its share.
function shared(account: number) {
  return { account, total: 2 * account, share: account / 8 }
}

/**
 * Turns for bodies in chunks: each owner begins one body in each iteration of the event loop. A read of 64 KiB may hold
 * ten thousand chunks, which take 10 ms.
 */
class ChunkTurns {
  readonly #places = new Places<ShareOwner>({ each: 1 })

  async take(owner: ShareOwner): Promise<void> {
    const place = await this.#places.take(owner)
    await nextTurn()
    place.leave()
  }
}
