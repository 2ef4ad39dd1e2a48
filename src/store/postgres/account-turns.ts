import { nothingChanged } from './explain-failure.ts'

/** Does the work once the account has a place for it. `UNAVAILABLE` where it waits too long, and then the work is not begun. */
export type InTurn = <T>(accountCode: string, work: () => Promise<T>) => Promise<T>

interface Turns {
  running: number
  readonly waiting: Set<() => void>
}

// Of the ten connections.
const mostAtOnce = 4
const mostWaitMs = 4_000

/**
 * Lets an account have a few changes at once: they wait for each other at its counter of events, each with a connection that others
 * could use.
 */
export function createAccountTurns(): InTurn {
  const accounts = new Map<string, Turns>()

  return async (accountCode, work) => {
    const turns = accounts.get(accountCode) ?? { running: 0, waiting: new Set() }
    accounts.set(accountCode, turns)
    if (turns.running < mostAtOnce) turns.running += 1
    else await takePlace(turns)
    try {
      return await work()
    } finally {
      passPlaceOn(turns)
      if (turns.running === 0) accounts.delete(accountCode)
    }
  }
}

function takePlace({ waiting }: Turns): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const goOn = () => {
    clearTimeout(timer)
    resolve()
  }
  const timer = setTimeout(() => {
    waiting.delete(goOn)
    reject(nothingChanged('Other changes of this account took too long'))
  }, mostWaitMs)
  waiting.add(goOn)
  return promise
}

function passPlaceOn(turns: Turns): void {
  const [next] = turns.waiting
  if (next === undefined) {
    turns.running -= 1
    return
  }
  turns.waiting.delete(next)
  next()
}
