import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Shares one read among all followers that ask for the same before it is sent, because a change wakes all followers of
 * an account together. A read is sent in a turn of the account. A follower never shares one that was sent before it
 * asked: that read may miss the change that woke the follower.
 */
export function shareReads<Given extends readonly [accountCode: string, ...numbers: number[]], Result>(
  read: (...given: Given) => Promise<Result>,
  waitForTurn: (accountCode: string) => Promise<void>,
): (...given: Given) => Promise<Result> {
  const asked = new Map<string, Promise<Result>>()
  return (...given) => {
    const key = given.join(' ')
    const known = asked.get(key)
    if (known !== undefined) return known
    const reading = readInTurn(key, given)
    asked.set(key, reading)
    return reading
  }

  async function readInTurn(key: string, given: Given): Promise<Result> {
    await nextTurn()
    try {
      await waitForTurn(given[0])
    } finally {
      asked.delete(key)
    }
    return read(...given)
  }
}
