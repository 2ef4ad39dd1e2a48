import type { RunLimits } from '../../config.ts'
import type { LogEntry, LogLevel } from '../../domain/scripts/run.ts'
import type { ScriptLines } from '../../fairness/script-log-share.ts'
import type { SandboxProcess } from '../launch/sandbox-process.ts'
import type { CutMessage } from '../protocol.ts'
import { readSandboxJson } from './read-sandbox-json.ts'

// Maximum number of `cut` messages in a run: one for each power of two among the safe integers, one at the end, and a
// margin.
const maxCutMessages = 64
// Maximum bytes of a UTF-16 character. The sandbox counts characters, while the limit is in bytes.
const maxBytesPerCharacter = 3

export interface RunLogOptions {
  readonly limits: Pick<RunLimits, 'logEntries' | 'logBytes'>
  /** Writes the account's lines to the system log, with the run's name, id and transaction. */
  readonly system: ScriptLines
  /** Called with each entry of the log, except one that fills it, because the report of a cut may replace that one. */
  readonly onEntry?: (entry: LogEntry) => void
}

/** The log of a run. It collects entries for the answer, within the limits, and writes each one to the system log. */
export class RunLog {
  readonly #options: RunLogOptions
  readonly #entries: LogEntry[] = []
  readonly #startedAt = Date.now()
  #added = 0
  #addedBytes = 0
  #bytes = 0
  #droppedHere = { entries: 0, characters: 0 }
  #droppedBySandbox = { entries: 0, characters: 0, isFinal: true }
  #cutMessages = 0

  constructor(options: RunLogOptions) {
    this.#options = options
  }

  /**
   * Adds an entry. Kills a sandbox that exceeds the limits: an honest sandbox keeps them itself, so this one is
   * compromised.
   */
  add(level: LogLevel, text: string, sandbox: SandboxProcess, at = Date.now()): void {
    const { limits, system, onEntry } = this.#options
    const bytes = Buffer.byteLength(text)
    this.#added++
    this.#addedBytes += bytes
    const isPast =
      this.#added > limits.logEntries || this.#addedBytes > maxBytesPerCharacter * limits.logBytes
    const data = isPast ? null : readData(text)
    if (data === null) return sandbox.kill('logged past the limits')
    if (this.#bytes + bytes > limits.logBytes) {
      this.#droppedHere.entries++
      this.#droppedHere.characters += text.length
      return
    }
    this.#bytes += bytes
    const entry = { at: this.#readTime(at), level, data, bytes }
    this.#entries.push(entry)
    if (this.#entries.length < limits.logEntries) onEntry?.(entry)
    system.write(level, { facts: { data }, message: 'log of a script', bytes })
  }

  // A sandbox sends entries some milliseconds late. A compromised one may say any time, so it must lie in the run.
  #readTime(at: number): Date {
    const now = Date.now()
    return new Date(at >= this.#startedAt && at <= now ? at : now)
  }

  /** Takes the sandbox's count of dropped entries. The sandbox sends it at each power of two and at the end. */
  cut({ entries, characters, isFinal }: CutMessage, sandbox: SandboxProcess): void {
    this.#cutMessages++
    if (this.#cutMessages > maxCutMessages) return sandbox.kill('reported its dropped log entries too often')
    this.#droppedBySandbox = { entries, characters, isFinal }
  }

  /**
   * Returns all entries. If some were dropped, the last entry reports their number; in a full log it replaces an entry.
   */
  entries(): readonly LogEntry[] {
    const cut = this.#droppedHere.entries + this.#droppedBySandbox.entries
    if (cut === 0) return this.#entries
    const isFull = this.#entries.length >= this.#options.limits.logEntries
    const shown = isFull ? this.#entries.slice(0, -1) : this.#entries
    const missing = cut + (isFull ? 1 : 0)
    const characters = this.#droppedHere.characters + this.#droppedBySandbox.characters
    const { logEntries, logBytes } = this.#options.limits
    const atLeast = this.#droppedBySandbox.isFinal ? '' : 'at least '
    const text =
      `The log was cut: ${atLeast}${missing} more entries (${characters} characters) were dropped; ` +
      `a run may log ${logEntries} entries and ${logBytes} bytes`
    return [...shown, { at: new Date(), level: 'warn', data: [text], bytes: text.length + 4 }]
  }
}

function readData(text: string): readonly unknown[] | null {
  const data = readSandboxJson(text)
  return Array.isArray(data) ? data : null
}
