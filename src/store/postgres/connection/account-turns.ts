import { FairQueue } from '../../../limits/fair-queue.ts'
import { nothingChanged } from './explain-failure.ts'

/** Does the work once the account has a place. `UNAVAILABLE` if it waits too long; then the work does not start. */
export type InTurn = <T>(accountCode: string, work: () => Promise<T>) => Promise<T>

interface TurnLimits {
  /** Places of all accounts together. */
  readonly total?: number
  /** Places of one account. */
  readonly account: number
  /** The reason for work that waited too long, such as `The database gave no connection` */
  readonly tooLate: string
}

const maxWaitMs = 4_000

/** Gives places to accounts in turn, and to no account more than its maximum. */
export function createAccountTurns({
  total = Number.POSITIVE_INFINITY,
  account,
  tooLate,
}: TurnLimits): InTurn {
  const taken = new Map<string, number>()
  const waiting = new FairQueue<() => void>()
  let totalTaken = 0

  const takenBy = (accountCode: string) => taken.get(accountCode) ?? 0
  const hasPlace = (accountCode: string) => totalTaken < total && takenBy(accountCode) < account

  function take(accountCode: string): void {
    taken.set(accountCode, takenBy(accountCode) + 1)
    totalTaken += 1
  }

  function giveBack(accountCode: string): void {
    const left = takenBy(accountCode) - 1
    if (left > 0) taken.set(accountCode, left)
    else taken.delete(accountCode)
    totalTaken -= 1
    const next = Iterator.from(waiting.accounts()).find(hasPlace)
    if (next !== undefined) waiting.serve(next)?.()
  }

  function wait(accountCode: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const goOn = () => {
      clearTimeout(timer)
      take(accountCode)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.remove(accountCode, goOn)
      reject(nothingChanged(tooLate))
    }, maxWaitMs)
    waiting.add(accountCode, goOn)
    return promise
  }

  return async (accountCode, work) => {
    if (hasPlace(accountCode)) take(accountCode)
    else await wait(accountCode)
    try {
      return await work()
    } finally {
      giveBack(accountCode)
    }
  }
}
