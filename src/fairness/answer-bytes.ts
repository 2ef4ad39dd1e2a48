import type { RunLimits } from '../config.ts'
import { RostrumError } from '../errors.ts'

const leastMaximum = 4 * 2 ** 20
// Bytes that an answer needs beside the result and log of a run: the JSON around them and around each log entry.
const bytesAroundRun = 2 ** 20
const bytesAroundEntry = 128
// Bytes of the log entry that reports how much of the log was cut.
const bytesOfCut = 2 ** 12

/** Maximum bytes of each of these that is kept with a run: its input, its options, its script, its value for `exit`. */
export const maxKeptBytes = 256 * 2 ** 10

// The input; the options, which `isInputKept` reads too; the script, whose quotes and line breaks take two bytes each.
const maxKeptParts = 5

/** Maximum number of log entries in one answer with several kept runs. A single run's log may have more. */
export const maxLogEntries = 10_000

/** Returns the maximum bytes of an answer over HTTP: 4 MiB, or more if the limits of one run allow a larger answer. */
export function findMaxAnswerBytes({ resultBytes, logBytes, logEntries }: RunLimits): number {
  return Math.max(leastMaximum, resultBytes + logBytes + bytesAroundEntry * logEntries + bytesAroundRun)
}

/**
 * Returns the maximum bytes of all long values in one answer: enough for one run at its limits, with the input, the
 * options and the script that are kept with it.
 */
export function findMaxLongBytes({ resultBytes, logBytes, logEntries }: RunLimits): number {
  return resultBytes + logBytes + bytesAroundEntry * logEntries + bytesOfCut + maxKeptParts * maxKeptBytes
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
  // Created once and thrown again: thousands of fields may be left out of an answer, and each stack trace is costly.
  #refusal: RostrumError | null = null
  #tooManyEntries: RostrumError | null = null

  constructor(max: number) {
    this.#max = max
  }

  get max(): number {
    return this.#max
  }

  /**
   * Makes room for a case beside a result or a change. Only the first call counts, because aliases can repeat the case.
   */
  raise(bytes: number): void {
    if (!this.#isRaised) this.#max += bytes
    this.#isRaised = true
  }

  add(bytes: number): void {
    if (this.#bytes + bytes > this.#max) {
      this.#refusal ??= tooLong(
        this.#max,
        'Case data and long values of runs in one answer',
        'This field is left out',
      )
      throw this.#refusal
    }
    this.#bytes += bytes
  }

  /**
   * Counts the entries of a log. Throws `BAD_USER_INPUT` past `maxLogEntries`, unless it is the only log of the answer.
   */
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

/** Returns the error for a value or answer past the maximum. It says that the operation was executed. */
export function tooLong(max: number, what: string, consequence: string): RostrumError {
  const message = `${what} can have at most ${max} bytes. ${consequence}. ${advice}`
  return new RostrumError('BAD_USER_INPUT', message, { facts: { bound: 'answerBytes', most: max } })
}
