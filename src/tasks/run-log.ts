import type { Logger } from 'pino'
import type { SandboxProcess } from './sandbox-process.ts'
import type { LogEntry, LogLevel } from './task-execution.ts'

export interface RunLogOptions {
  readonly mostEntries: number
  readonly mostBytes: number
  /** The system log, under the run's task name, id and transaction. */
  readonly system: Logger
}

/** What a script logged: kept for the answer within the limits, and written to the system log line by line. */
export class RunLog {
  readonly #options: RunLogOptions
  readonly #entries: LogEntry[] = []
  #bytes = 0
  #cutEntries = 0
  #cutCharacters = 0

  constructor(options: RunLogOptions) {
    this.#options = options
  }

  /** The sandbox itself keeps the limits; one that does not is not ours any more. */
  add(level: LogLevel, text: string, sandbox: SandboxProcess): void {
    const { mostEntries, mostBytes, system } = this.#options
    const data = readData(text)
    if (data === null || this.#entries.length >= mostEntries) return sandbox.kill('logged past the limits')
    const bytes = Buffer.byteLength(text)
    if (this.#bytes + bytes > mostBytes) {
      this.#cutEntries++
      this.#cutCharacters += text.length
      return
    }
    this.#bytes += bytes
    this.#entries.push({ at: new Date(), level, data })
    system[level]({ data }, 'log of a script')
  }

  /** What the sandbox says it left out. */
  cut(entries: number, characters: number): void {
    this.#cutEntries += entries
    this.#cutCharacters += characters
  }

  /** All entries; where something was cut the last one says how much, and takes the place of an entry if need be. */
  entries(): readonly LogEntry[] {
    if (this.#cutEntries === 0) return this.#entries
    const isFull = this.#entries.length >= this.#options.mostEntries
    const kept = isFull ? this.#entries.slice(0, -1) : this.#entries
    const missing = this.#cutEntries + (isFull ? 1 : 0)
    const { mostEntries, mostBytes } = this.#options
    const text = `The log was cut: ${missing} more entries (${this.#cutCharacters} characters) found no room; a run may log ${mostEntries} entries and ${mostBytes} bytes`
    return [...kept, { at: new Date(), level: 'warn', data: [text] }]
  }
}

function readData(text: string): readonly unknown[] | null {
  try {
    const data: unknown = JSON.parse(text)
    return Array.isArray(data) ? data : null
  } catch {
    return null
  }
}
