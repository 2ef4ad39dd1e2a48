import { type Logger, pino } from 'pino'
import type { Config } from '../config.ts'
import { hideRunTokens } from '../tasks/run/run-tokens.ts'

// What a reader of the log may lag behind before lines are lost.
const mostWaitingBytes = 16 * 2 ** 20
// Lines gather for so long, or until there are so many bytes: a write for each costs a busy gateway a tenth of its time.
const gatherMs = 10
const gatheredBytes = 16_000

export interface SystemLog {
  readonly log: Logger
  /** Writes a text for people, between the lines of the log. */
  write(text: string): void
  /** Resolves once all is written, or cannot be; false where that takes longer. To be called last. */
  flush(withinMs: number): Promise<boolean>
}

/**
 * The log on standard output, written behind the gateway's back: who reads it slowly, or not at all, must not hold up requests. It
 * says how many lines were lost by that. (Asking for `process.stdout` would make the descriptor one that has to be polled.)
 */
export function createSystemLog({ logLevel }: Pick<Config, 'logLevel'>): SystemLog {
  const output = pino.destination({
    dest: 1,
    sync: false,
    minLength: gatheredBytes,
    maxLength: mostWaitingBytes,
  })
  let unwrittenBytes = 0
  let isGathering = false
  const flushSoon = () => {
    if (isGathering) return
    isGathering = true
    setTimeout(() => {
      isGathering = false
      output.flush()
    }, gatherMs)
  }
  const count = (text: string) => {
    unwrittenBytes += Buffer.byteLength(text)
    flushSoon()
  }
  const streamWrite = (line: string) => {
    // Whichever way the token of a run gets into a line: as a task's name, say.
    const text = hideRunTokens(line)
    count(text)
    return text
  }
  const log = pino({ level: logLevel, hooks: { streamWrite } }, output)
  // A full disk ends no gateway: what could not be written is tried again with the next line.
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
      // When the process exits it would be tried again, for ever.
      if (isFailing) output.destroy()
      return isWritten
    },
  }
}
