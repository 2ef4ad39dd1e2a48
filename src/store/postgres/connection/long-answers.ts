import { dropOldest } from '../../../fairness/drop-oldest.ts'
import type { ShareOwner } from '../../../fairness/share-owner.ts'
import { createAccountSlots, type WithAccountSlot } from './account-slots.ts'
import type { Send } from './client.ts'

// An answer of this many characters keeps the event loop busy for two milliseconds.
const longLength = 2 ** 18
const maxAccounts = 10_000

/**
 * Returns a function that sends a statement in the turn of its owner, and lets an account have one long answer at a
 * time. If several came at once, the requests of other accounts would wait for all of them: a read beside five answers
 * of 1 MiB took 120 ms instead of 3. The length of an answer is guessed from the account's last answers to the same
 * statement. Statements that several accounts share read only short data, and are not held back.
 */
export function createLongAnswers(withAccountSlot: WithAccountSlot) {
  const guesses = new Map<string, Map<string, number>>()
  const withLongSlot = createAccountSlots({
    each: 1,
    tooLate: 'Other long answers of this account took too long',
  })

  return async (owner: ShareOwner, text: string, send: () => ReturnType<Send>): ReturnType<Send> => {
    if (typeof owner !== 'string') return withAccountSlot(owner, send)
    const ofText = guesses.getOrInsertComputed(text, () => new Map())
    const sendAndGuess = async () => {
      const answer = await send()
      // After a long answer, each shorter one halves the guess.
      const guess = Math.max(measure(answer.rows), (ofText.get(owner) ?? 0) / 2)
      ofText.delete(owner)
      if (guess >= longLength) ofText.set(owner, guess)
      dropOldest(ofText, maxAccounts)
      return answer
    }
    // Guesses when the turn has come, because a long answer may have come in the meantime.
    const answer = await withAccountSlot(owner, async () => (ofText.has(owner) ? null : sendAndGuess()))
    return answer ?? withLongSlot(owner, () => withAccountSlot(owner, sendAndGuess))
  }
}

/** Returns the length of all texts. A value can be an array of texts: the values of a column in all rows. */
function measure(values: readonly unknown[]): number {
  let length = 0
  for (const value of values) {
    if (typeof value === 'string') length += value.length
    else if (Array.isArray(value)) length += measure(value)
  }
  return length
}
