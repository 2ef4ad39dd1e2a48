import type { RunLimits } from '../config.ts'
import { RostrumError } from '../errors.ts'

const leastMaximum = 4 * 2 ** 20
// What stands around the result and the log of a run, and around each entry of the log.
const bytesAroundRun = 2 ** 20
const bytesAroundEntry = 128
// The entry that says how much of a log was cut.
const bytesOfCut = 2 ** 12

/** The maximum of bytes of an answer over HTTP: 4 MiB, or what one run can answer where its limits allow more. */
export function findMaxAnswerBytes({ resultBytes, logBytes, logEntries }: RunLimits): number {
  return Math.max(leastMaximum, resultBytes + logBytes + bytesAroundEntry * logEntries + bytesAroundRun)
}

/** What the results, messages and logs in one answer can have together: those of one run at its limits, once. */
export function findMaxLongBytes({ resultBytes, logBytes }: RunLimits): number {
  return resultBytes + logBytes + bytesOfCut
}

/**
 * Counts the values of one answer that can be long, in bytes of JSON, each before it becomes a part of the answer:
 * aliases would repeat them. Resolvers call `add`; past the maximum it throws `BAD_USER_INPUT`, which makes their field
 * null.
 */
export class AnswerBytes {
  readonly #max: number
  #bytes = 0

  constructor(max: number) {
    this.#max = max
  }

  add(bytes: number): void {
    if (this.#bytes + bytes > this.#max) {
      throw tooLong(this.#max, 'Results, messages and logs in one answer', 'This field is left out')
    }
    this.#bytes += bytes
  }
}

/** The error for what would be longer than it may; it was executed all the same, and says so. */
export function tooLong(max: number, what: string, consequence: string): RostrumError {
  const advice = 'Ask for less in one operation. What this one changed or ran is done.'
  const message = `${what} can have at most ${max} bytes. ${consequence}. ${advice}`
  return new RostrumError('BAD_USER_INPUT', message, { facts: { bound: 'answerBytes', most: max } })
}
