import { type Logger, pino } from 'pino'
import type { Config } from '../config.ts'
import { hideRunTokens } from '../scripts/run/run-tokens.ts'

// Unread output after which lines are dropped.
const maxBufferedBytes = 16 * 2 ** 20
// Lines are written together after this time or size: one write each would take a tenth of a busy gateway's time.
const flushEveryMs = 10
const flushBytes = 16_000

export interface SystemLog {
  readonly log: Logger
  /** Writes a text between the lines of the log. */
  write(text: string): void
  /** Resolves when everything is written or cannot be; with false if that takes longer. Call it last. */
  flush(withinMs: number): Promise<boolean>
}

/**
 * The log on standard output. It writes asynchronously, so that a slow reader does not delay requests, and logs how
 * many lines were dropped. It does not use `process.stdout`, which would make the descriptor non-blocking.
 */
export function createSystemLog({ logLevel }: Pick<Config, 'logLevel'>): SystemLog {
  const output = pino.destination({
    dest: 1,
    sync: false,
    minLength: flushBytes,
    maxLength: maxBufferedBytes,
  })
  let unwrittenBytes = 0
  let isFlushPlanned = false
  const flushSoon = () => {
    if (isFlushPlanned) return
    isFlushPlanned = true
    setTimeout(() => {
      isFlushPlanned = false
      output.flush()
    }, flushEveryMs)
  }
  const count = (text: string) => {
    unwrittenBytes += Buffer.byteLength(text)
    flushSoon()
  }
  const streamWrite = (line: string) => {
    // A run token can get into a line as the name of a task, for example.
    const text = hideRunTokens(line)
    count(text)
    return text
  }
  const log = pino({ level: logLevel, hooks: { streamWrite } }, output)
  // A full disk must not end the gateway. Unwritten lines are written with the next one.
  let isFailing = false
  output.on('error', () => {
    isFailing = true
  })
  output.on('write', bytes => {
    unwrittenBytes -= bytes
    isFailing = false
  })
  let lost = 0
  output.on('drop', text => {
    unwrittenBytes -= Buffer.byteLength(text)
    lost++
  })
  output.on('drain', () => {
    // A flush during a write does nothing.
    if (unwrittenBytes > 0) flushSoon()
    if (lost === 0) return
    const lines = lost
    lost = 0
    log.warn({ lines }, 'log lines were lost: standard output is read too slowly')
  })
  const flushAll = (done: () => void): void =>
    output.flush(() => (isFailing || unwrittenBytes === 0 ? done() : flushAll(done)))
  return {
    log,
    write(text) {
      count(text)
      output.write(text)
    },
    async flush(withinMs) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => resolve(false), withinMs)
      flushAll(() => resolve(true))
      const isWritten = await promise
      clearTimeout(timer)
      // Otherwise the exit of the process would retry without end.
      if (isFailing) output.destroy()
      return isWritten
    },
  }
}
