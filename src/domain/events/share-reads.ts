import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Shares one read among all followers that ask for the same in one turn of the event loop, because a change wakes all
 * followers of an account together. A follower never shares a read that was sent before it asked: that read may miss
 * the change that woke the follower.
 */
export function shareReads<Given extends readonly [accountCode: string, ...numbers: number[]], Result>(
  read: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  const asked = new Map<string, Promise<Result>>()
  return (...given) => {
    const key = given.join(' ')
    const known = asked.get(key)
    if (known !== undefined) return known
    const reading = nextTurn().then(() => {
      asked.delete(key)
      return read(...given)
    })
    asked.set(key, reading)
    return reading
  }
}
