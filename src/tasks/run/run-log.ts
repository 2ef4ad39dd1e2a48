import type { Logger } from 'pino'
import type { RunLimits } from '../../config.ts'
import type { SandboxProcess } from '../launch/sandbox-process.ts'
import type { CutMessage } from '../protocol.ts'
import { readSandboxJson } from './read-sandbox-json.ts'
import type { LogEntry, LogLevel } from './task-execution.ts'

// More than there are powers of two among safe integers, and one at the end.
const mostCutMessages = 64
// The sandbox counts characters, as UTF-16 has them, where the limit is in bytes.
const maxBytesOfCharacter = 3

export interface RunLogOptions {
  readonly limits: Pick<RunLimits, 'logEntries' | 'logBytes'>
  /** The system log, under the run's task name, id and transaction. */
  readonly system: Logger
}

/** What a script logged: kept for the answer within the limits, and written to the system log line by line. */
export class RunLog {
  readonly #options: RunLogOptions
  readonly #entries: LogEntry[] = []
  #added = 0
  #addedBytes = 0
  #bytes = 0
  #cutHere = { entries: 0, characters: 0 }
  #cutThere = { entries: 0, characters: 0, isFinal: true }
  #cutMessages = 0

  constructor(options: RunLogOptions) {
    this.#options = options
  }

  /** The sandbox itself keeps the limits; one that does not is not ours any more. */
  add(level: LogLevel, text: string, sandbox: SandboxProcess): void {
    const { limits, system } = this.#options
    const bytes = Buffer.byteLength(text)
    this.#added++
    this.#addedBytes += bytes
    const isPast = this.#added > limits.logEntries || this.#addedBytes > maxBytesOfCharacter * limits.logBytes
    const data = isPast ? null : readData(text)
    if (data === null) return sandbox.kill('logged past the limits')
    if (this.#bytes + bytes > limits.logBytes) {
      this.#cutHere.entries++
      this.#cutHere.characters += text.length
      return
    }
    this.#bytes += bytes
    this.#entries.push({ at: new Date(), level, data, bytes })
    system[level]({ data }, 'log of a script')
  }

  /** What the sandbox says it has left out so far; it says so at each power of two and at the end. */
  cut({ entries, characters, isFinal }: CutMessage, sandbox: SandboxProcess): void {
    this.#cutMessages++
    if (this.#cutMessages > mostCutMessages) return sandbox.kill('told of its log too often')
    this.#cutThere = { entries, characters, isFinal }
  }

  /** All entries; where something was cut the last one says how much, and takes the place of an entry if need be. */
  entries(): readonly LogEntry[] {
    const cut = this.#cutHere.entries + this.#cutThere.entries
    if (cut === 0) return this.#entries
    const isFull = this.#entries.length >= this.#options.limits.logEntries
    const kept = isFull ? this.#entries.slice(0, -1) : this.#entries
    const missing = cut + (isFull ? 1 : 0)
    const characters = this.#cutHere.characters + this.#cutThere.characters
    const { logEntries, logBytes } = this.#options.limits
    const text = `The log was cut: ${this.#cutThere.isFinal ? '' : 'at least '}${missing} more entries (${characters} characters) found no room; a run may log ${logEntries} entries and ${logBytes} bytes`
    return [...kept, { at: new Date(), level: 'warn', data: [text], bytes: text.length + 4 }]
  }
}

function readData(text: string): readonly unknown[] | null {
  const data = readSandboxJson(text)
  return Array.isArray(data) ? data : null
}
