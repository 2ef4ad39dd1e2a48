import { FairQueue } from '../../../limits/fair-queue.ts'
import type { ShareOwner } from '../../../limits/share-owner.ts'
import { nothingChanged } from './explain-failure.ts'

/** Does the work once its owner has a place. `UNAVAILABLE` if it waits too long; then the work does not start. */
export type InTurn = <T>(owner: ShareOwner, work: () => Promise<T>) => Promise<T>

interface TurnLimits {
  /** Places of all owners together. */
  readonly total?: number
  /** Places of one owner. */
  readonly account: number
  /** The reason for work that waited too long, such as `The database gave no connection` */
  readonly tooLate: string
}

const maxWaitMs = 4_000

/** Gives places to owners in turn, and to none more than its maximum. */
export function createAccountTurns({
  total = Number.POSITIVE_INFINITY,
  account,
  tooLate,
}: TurnLimits): InTurn {
  const taken = new Map<ShareOwner, number>()
  const waiting = new FairQueue<() => void, ShareOwner>()
  let totalTaken = 0

  const takenBy = (owner: ShareOwner) => taken.get(owner) ?? 0
  const hasPlace = (owner: ShareOwner) => totalTaken < total && takenBy(owner) < account

  function take(owner: ShareOwner): void {
    taken.set(owner, takenBy(owner) + 1)
    totalTaken += 1
  }

  function giveBack(owner: ShareOwner): void {
    const left = takenBy(owner) - 1
    if (left > 0) taken.set(owner, left)
    else taken.delete(owner)
    totalTaken -= 1
    const next = Iterator.from(waiting.owners()).find(hasPlace)
    if (next !== undefined) waiting.serve(next)?.()
  }

  function wait(owner: ShareOwner): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const goOn = () => {
      clearTimeout(timer)
      take(owner)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.remove(owner, goOn)
      reject(nothingChanged(tooLate))
    }, maxWaitMs)
    waiting.add(owner, goOn)
    return promise
  }

  return async (owner, work) => {
    if (hasPlace(owner)) take(owner)
    else await wait(owner)
    try {
      return await work()
    } finally {
      giveBack(owner)
    }
  }
}
