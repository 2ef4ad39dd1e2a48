import { type Logger, pino } from 'pino'
import type { Config } from '../config.ts'
import { hideRunTokens } from '../scripts/run/run-tokens.ts'
import { showControlsOfJson } from '../show-controls.ts'

// Maximum bytes of unread output. Further lines are dropped.
const maxBufferedBytes = 16 * 2 ** 20
// Time after which buffered lines are written together. One write for each line would take a tenth of a busy gateway.
const flushEveryMs = 10
const flushCharacters = 65_536
// Maximum time for which work waits for the line that announces it, if nobody reads the output.
const readSoonMs = 1_000

export interface SystemLog {
  readonly log: Logger
  /** Writes a text for a person: between log lines, or to standard error if those are for machines. */
  write(text: string): void
  /**
   * Resolves with true when everything is written or cannot be written, with false if that takes longer. Call it last.
   */
  flush(withinMs: number): Promise<boolean>
}

/**
 * Creates the log on standard output. It writes asynchronously, so that a slow reader does not delay requests, and logs
 * how many lines were dropped. It avoids `process.stdout`, which would make the descriptor non-blocking.
 */
export async function createSystemLog({
  logLevel,
  logFormat,
}: Pick<Config, 'logLevel' | 'logFormat'>): Promise<SystemLog> {
  const isPretty = (logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json')) === 'pretty'
  const format = isPretty ? await loadFormat() : null
  // With a `minLength` of 0, `flush` would wait for nothing.
  const output = pino.destination({ dest: 1, sync: false, minLength: 1, maxLength: maxBufferedBytes })
  // Lines that the output does not have yet. It measures all that it holds at each write, so it gets many together.
  let lines = ''
  let timesHandedOver = 0
  let isFlushPlanned = false
  // True after a failed write, such as on a full disk. That must not end the gateway: unwritten lines are written with
  // the next one.
  let isFailing = false
  let isClosed = false
  let lost = 0
  const handOver = () => {
    if (lines === '') return
    const text = lines
    lines = ''
    timesHandedOver++
    output.write(text)
  }
  const flushSoon = () => {
    if (isFlushPlanned) return
    isFlushPlanned = true
    setTimeout(() => {
      isFlushPlanned = false
      handOver()
      // A text that was dropped makes the output neither try again nor report.
      if (isFailing || lost > 0) output.flush()
    }, flushEveryMs)
  }
  const add = (text: string) => {
    if (isClosed) return
    lines += text
    if (lines.length >= flushCharacters) handOver()
    flushSoon()
  }
  const stream = {
    write(line: string) {
      // Hides run tokens, which can get into a line as the name of a script, for example.
      const hidden = hideRunTokens(line)
      add(format?.(hidden) ?? hidden)
    },
    // For `log.flush`, before work that holds the event loop.
    flush: (done: () => void) => void writeOut(readSoonMs).then(done),
  }
  const log = pino({ level: logLevel }, stream)
  // What standard error does not take, such as a full disk or a closed pipe, must not end the gateway.
  if (!isPretty) process.stderr.on('error', () => {})
  output.on('error', (error: NodeJS.ErrnoException) => {
    isFailing = true
    // Nobody can read the output any more, and pino writes nothing more to it.
    if (error.code === 'EPIPE') isClosed = true
  })
  output.on('write', () => {
    isFailing = false
  })
  output.on('drop', text => {
    lost += text.split('\n').length - 1
  })
  output.on('drain', () => {
    if (lost === 0) return
    const lostLines = lost
    lost = 0
    log.warn({ lines: lostLines }, 'log lines were lost: standard output did not take them')
  })
  const flushAll = (done: () => void): void => {
    handOver()
    const before = timesHandedOver
    const isDone = () => isFailing || (timesHandedOver === before && lines === '')
    output.flush(() => (isDone() ? done() : flushAll(done)))
  }
  // Resolves with true when everything is written or cannot be written, with false if that takes longer.
  const writeOut = async (withinMs: number): Promise<boolean> => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), withinMs)
    flushAll(() => resolve(true))
    const isWritten = await promise
    clearTimeout(timer)
    return isWritten
  }
  return {
    log,
    write(text) {
      // Each line of standard output is an object for machines.
      if (!isPretty) return void process.stderr.write(text)
      add(text)
    },
    async flush(withinMs) {
      const isWritten = await writeOut(withinMs)
      // Without this, the output would retry forever when the process exits.
      if (isFailing) output.destroy()
      return isWritten
    },
  }
}

// Loads the formatter only where a person reads the log.
async function loadFormat(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty')
  const colorize = process.stdout.hasColors?.() === true
  const format = prettyFactory({ colorize, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' })
  // A name or a text of a script must not change what the terminal shows. The formatter writes values as JSON.
  return line => showControlsOfJson(format(line))
}
