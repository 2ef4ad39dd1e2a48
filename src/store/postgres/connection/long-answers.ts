import type pg from 'pg'
import { dropOldest } from '../../../fairness/drop-oldest.ts'
import type { ShareOwner } from '../../../fairness/share-owner.ts'
import { createAccountSlots } from './account-slots.ts'
import type { Send } from './client.ts'

// To take in an answer of this many characters keeps the event loop for two milliseconds.
const longLength = 2 ** 18
const maxKnown = 10_000

/**
 * Returns a function that lets an account have one long answer at a time. The event loop would take in several at once,
 * and the requests of other accounts would wait: beside five answers of 1 MiB, a read took 120 ms instead of 3. How
 * long an answer will be shows in earlier ones to the same account and statement: one that was long counts half as much
 * with each shorter one after it.
 */
export function createLongAnswers(): (
  owner: ShareOwner,
  statement: pg.QueryArrayConfig,
  send: Send,
) => ReturnType<Send> {
  const expected = new Map<string, number>()
  const withSlot = createAccountSlots({ each: 1, tooLate: 'Other reads of this account took too long' })
  return async (owner, statement, send) => {
    if (typeof owner !== 'string') return send(statement)
    // Statements without a name count as one.
    const key = `${statement.name ?? ''} ${owner}`
    const last = expected.get(key)
    const answer = await (last === undefined ? send(statement) : withSlot(owner, () => send(statement)))
    const length = Math.max(measure(answer.rows), (last ?? 0) / 2)
    expected.delete(key)
    if (length < longLength) return answer
    expected.set(key, length)
    dropOldest(expected, maxKnown)
    return answer
  }
}

/** Returns the length of all texts. A value can be an array of texts, which has a column's values of all rows. */
function measure(values: readonly unknown[]): number {
  let length = 0
  for (const value of values) {
    if (typeof value === 'string') length += value.length
    else if (Array.isArray(value)) length += measure(value)
  }
  return length
}
