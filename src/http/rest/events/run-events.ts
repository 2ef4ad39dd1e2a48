import type { LogEntry } from '../../../domain/scripts/run.ts'
import type { BegunCall, EndedCall, RunFollower } from '../../../domain/scripts/run-follower.ts'
import { writeJson } from '../../../json/json-text.ts'
import type { UnreadAnswer } from '../../edge/unread-answers.ts'
import { toDataLine } from '../../request/event-stream.ts'

// Events that wait are written together, up to about this many bytes.
const maxChunkBytes = 2 ** 16

/** An event that waits for its client, or that the client has not read yet. */
interface UnreadEvent extends UnreadAnswer {
  readonly text: Buffer
}

export interface RunEventsOptions {
  readonly accountCode: string
  /** Counts each event from when it happens until its client has read it. */
  readonly unread: { add(event: UnreadAnswer): void; release(event: UnreadAnswer): void }
  /** Closes the connection. */
  readonly cut: () => void
}

/** The JSON answer of an execution. */
export interface ExecutionBody {
  readonly task_execution: { readonly logs: readonly object[] }
}

/** The events of one run as text, for a client that reads them at its own pace (contract, section 10). */
export class RunEvents implements RunFollower {
  readonly #options: RunEventsOptions
  readonly #begun = Promise.withResolvers<void>()
  #waiting: UnreadEvent[] = []
  #reading: UnreadEvent[] = []
  #wake: () => void = () => undefined
  #logEntries = 0
  #hasEnded = false

  constructor(options: RunEventsOptions) {
    this.#options = options
  }

  /** Resolves when the run has begun, so that it is no longer refused. It stays pending if the run does not begin. */
  get begun(): Promise<void> {
    return this.#begun.promise
  }

  onBegun(): void {
    this.#begun.resolve()
  }

  onLog({ at, level, data }: LogEntry): void {
    this.#logEntries++
    this.#add('log', { at, level, data })
  }

  onCallBegun({ id, name, at }: BegunCall): void {
    this.#add('call', { id, name, state: 'begun', at })
  }

  onCallEnded({ id, name, at, durationMs, error, runId }: EndedCall): void {
    const run = runId === null ? {} : { run_id: runId }
    this.#add('call', { id, name, state: 'ended', at, duration_ms: durationMs, error, ...run })
  }

  /** Adds the entries of the log that were not certain before, and the last event. */
  end(body: ExecutionBody): void {
    for (const entry of body.task_execution.logs.slice(this.#logEntries)) this.#add('log', entry)
    this.#add('end', body)
    this.close()
  }

  /** Adds nothing any more. What waits can still be read. */
  close(): void {
    this.#hasEnded = true
    this.#wake()
  }

  /** Drops all that its client has not read. */
  drop(): void {
    this.#release(this.#waiting)
    this.#waiting = []
    this.#releaseRead()
    this.close()
  }

  /** Resolves with the next events in one chunk, or null after the last one. The chunk before it counts as read. */
  async next(): Promise<Buffer | null> {
    this.#releaseRead()
    while (this.#waiting.length === 0 && !this.#hasEnded) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await promise
    }
    if (this.#waiting.length === 0) return null
    let bytes = 0
    const beyond = this.#waiting.findIndex((event, index) => {
      bytes += event.bytes
      return index > 0 && bytes > maxChunkBytes
    })
    this.#reading = this.#waiting.splice(0, beyond === -1 ? this.#waiting.length : beyond)
    const [first] = this.#reading
    return first !== undefined && this.#reading.length === 1
      ? first.text
      : Buffer.concat(this.#reading.map(({ text }) => text))
  }

  #add(event: 'log' | 'call' | 'end', data: object): void {
    if (this.#hasEnded) return
    const text = Buffer.from(`event: ${event}\ndata: ${toDataLine(writeJson(data))}\n\n`)
    const { accountCode, unread, cut } = this.#options
    const added = { accountCode, bytes: text.length, cut, text }
    this.#waiting.push(added)
    unread.add(added)
    this.#wake()
  }

  #releaseRead(): void {
    this.#release(this.#reading)
    this.#reading = []
  }

  #release(events: readonly UnreadEvent[]): void {
    for (const event of events) this.#options.unread.release(event)
  }
}
