import type { RunLimits } from '../config.ts'
import { RostrumError } from '../errors.ts'

const leastMaximum = 4 * 2 ** 20
// Bytes reserved for the JSON around the result and the log of a run, and around each log entry.
const bytesAroundRun = 2 ** 20
const bytesAroundEntry = 128
// The entry that reports how much of a log was cut.
const bytesOfCut = 2 ** 12

/** Maximum entries in the logs of the kept runs in one answer. The log of one run may have more. */
export const maxLogEntries = 10_000

/** Maximum bytes of an answer over HTTP: 4 MiB, or more if the limits of one run allow a larger answer. */
export function findMaxAnswerBytes({ resultBytes, logBytes, logEntries }: RunLimits): number {
  return Math.max(leastMaximum, resultBytes + logBytes + bytesAroundEntry * logEntries + bytesAroundRun)
}

/** Maximum bytes of all results, messages and logs in one answer: those of one run at its limits. */
export function findMaxLongBytes({ resultBytes, logBytes }: RunLimits): number {
  return resultBytes + logBytes + bytesOfCut
}

/**
 * Counts the long values of one answer in bytes of JSON, because aliases can repeat them. Resolvers call `add` before
 * they return such a value. Past the maximum it throws `BAD_USER_INPUT`, which makes their field null.
 */
export class AnswerBytes {
  #max: number
  #bytes = 0
  #logEntries = 0
  #isRaised = false
  // Made once: an answer may have thousands of fields that are left out, and a stack is costly.
  #refusal: RostrumError | null = null
  #tooManyEntries: RostrumError | null = null

  constructor(max: number) {
    this.#max = max
  }

  get max(): number {
    return this.#max
  }

  /** Makes room for a case beside a result or a change. Only the first call does, because aliases can repeat it. */
  raise(bytes: number): void {
    if (!this.#isRaised) this.#max += bytes
    this.#isRaised = true
  }

  add(bytes: number): void {
    if (this.#bytes + bytes > this.#max) {
      this.#refusal ??= tooLong(
        this.#max,
        'Case data, results, messages and logs in one answer',
        'This field is left out',
      )
      throw this.#refusal
    }
    this.#bytes += bytes
  }

  /** Counts the entries of a log. Past `maxLogEntries` it throws `BAD_USER_INPUT`, unless it is the only log. */
  addLogEntries(count: number): void {
    if (this.#logEntries > 0 && this.#logEntries + count > maxLogEntries) {
      const message = `Logs in one answer can have at most ${maxLogEntries} entries. This field is left out. ${advice}`
      this.#tooManyEntries ??= new RostrumError('BAD_USER_INPUT', message, {
        facts: { bound: 'logEntries', most: maxLogEntries },
      })
      throw this.#tooManyEntries
    }
    this.#logEntries += count
  }
}

const advice = 'Ask for less in one operation. What this one changed or ran is done.'

/** The error for a value or answer past the maximum. It says that the operation was executed. */
export function tooLong(max: number, what: string, consequence: string): RostrumError {
  const message = `${what} can have at most ${max} bytes. ${consequence}. ${advice}`
  return new RostrumError('BAD_USER_INPUT', message, { facts: { bound: 'answerBytes', most: max } })
}
