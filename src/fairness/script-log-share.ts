import type { Level } from 'pino'
import type { BoundLog, Facts } from '../bound-log.ts'
import type { ShareOwner } from './share-owner.ts'

const msOfMinute = 60_000
// Maximum number of accounts that are counted separately in a minute. All further accounts share one count, so that
// memory stays small.
const maxAccounts = 10_000
const otherAccounts: ShareOwner = Symbol('(others)')
// Estimated bytes of a log line without its facts: the level, the time, the message and the names.
const bytesOfFrame = 120

/** The lines that scripts of one account cause in the system log. */
export interface ScriptLines {
  /** Writes a line if the account has bytes left in this minute. `bytes` is the size of the facts as JSON. */
  write(
    level: Level,
    line: {
      readonly facts: Facts
      readonly message: string
      readonly bytes: number
    },
  ): void
}

interface Usage {
  writtenBytes: number
  droppedLines: number
  droppedBytes: number
}

interface ShareOptions {
  readonly log: BoundLog
  /** Maximum bytes of one account's lines in each minute. */
  readonly maxBytes: number
  /** Returns the time in milliseconds since 1970. */
  readonly readMs?: () => number
}

/**
 * Shares the system log between the scripts of all accounts (contract, section 9). When an account has used its bytes
 * of a minute, its further lines are only counted, and one line reports their number.
 */
export class ScriptLogShare {
  readonly #log: BoundLog
  readonly #maxBytes: number
  readonly #readMs: () => number
  readonly #usage = new Map<ShareOwner, Usage>()
  #minute = 0

  constructor({ log, maxBytes, readMs = Date.now }: ShareOptions) {
    this.#log = log
    this.#maxBytes = maxBytes
    this.#readMs = readMs
  }

  /** Returns a writer for an account's lines, to `log` or by default to the log that gets the reports. */
  linesOf(accountCode: string, log = this.#log): ScriptLines {
    return {
      write: (level, { facts, message, bytes }) => {
        if (log.isLevelEnabled(level) && this.#take(accountCode, log.bytesOfFacts + bytesOfFrame + bytes))
          log.write(level, facts, message)
      },
    }
  }

  /** If the minute is over, reports the lines that were left out in it. */
  report(): void {
    const minute = Math.floor(this.#readMs() / msOfMinute)
    if (minute === this.#minute) return
    this.reportAll()
    this.#minute = minute
  }

  /** Reports all lines that were left out, including those of the current minute. */
  reportAll(): void {
    const minute = new Date(this.#minute * msOfMinute).toISOString()
    for (const [owner, { droppedLines: lines, droppedBytes: bytes }] of this.#usage) {
      if (lines === 0) continue
      const account = typeof owner === 'string' ? owner : owner.description
      this.#log.warn(
        { account, lines, bytes, minute },
        'log lines of scripts were left out; kept runs have them',
      )
    }
    this.#usage.clear()
  }

  // Returns true if a line may be written. After the first line that does not fit, all others of the minute are left
  // out too, so that the written part has no gaps.
  #take(accountCode: string, bytes: number): boolean {
    this.report()
    const usage = this.#usageOf(accountCode)
    if (usage.droppedLines === 0 && usage.writtenBytes + bytes <= this.#maxBytes) {
      usage.writtenBytes += bytes
      return true
    }
    usage.droppedLines++
    usage.droppedBytes += bytes
    return false
  }

  #usageOf(accountCode: string): Usage {
    const isFull = this.#usage.size >= maxAccounts && !this.#usage.has(accountCode)
    const key = isFull ? otherAccounts : accountCode
    const usage = this.#usage.get(key) ?? { writtenBytes: 0, droppedLines: 0, droppedBytes: 0 }
    this.#usage.set(key, usage)
    return usage
  }
}
