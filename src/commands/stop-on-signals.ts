import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { App } from '../app.ts'
import { sameSignalMs } from '../signals/same-signal.ts'
import type { SystemLog } from './system-log.ts'

const flushMs = 2_000
const shortFlushMs = 200
// Time between losing the store and exiting. Load balancers use it to see at `/ready` that the gateway is about to end.
const lostMs = 2_000
// Maximum time for which a stop waits for the end of the start.
const maxStartMs = 5_000

interface Stopping {
  readonly app: App
  readonly log: Logger
  readonly flush: SystemLog['flush']
  /** Resolves with whether the start succeeded. One that fails closes the application and ends the process itself. */
  readonly started: Promise<boolean>
  /** Resolves with the reason if the store is lost for good. */
  readonly storeLost: Promise<string>
}

/** Exits. If the log could not be written, an exit would wait for its reader without a limit. */
export function endProcess(exitCode: number, isLogWritten: boolean): never {
  if (!isLogWritten) process.kill(process.pid, 'SIGKILL')
  process.exit(exitCode)
}

/**
 * Stops cleanly on SIGTERM, on SIGINT and when its terminal is closed (exit code 0), and after an unhandled error (exit
 * code 1). A second signal, at least half a second later, ends the process at once; its children end when their input
 * closes. When the store is lost, `/ready` is 503 for two seconds, and the process ends with exit code 1.
 */
export function stopOnSignals({ app, log, flush, started, storeLost }: Stopping): void {
  let stopping = false
  let signalledAt = Number.NEGATIVE_INFINITY

  async function stop(exitCode: number): Promise<void> {
    stopping = true
    let code = exitCode
    // To close what the start still uses would make it fail, or lose the token that it prints.
    const hasStarted = await Promise.race([started, sleep(maxStartMs, true)])
    if (!hasStarted) return
    try {
      await app.close()
    } catch (error) {
      log.fatal({ err: error }, 'could not stop cleanly')
      code = 1
    }
    await leave(code, flushMs)
  }

  // Exits after the log is flushed, or after `withinMs`.
  async function leave(exitCode: number, withinMs: number): Promise<void> {
    endProcess(exitCode, await flush(withinMs))
  }

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (performance.now() - signalledAt < sameSignalMs) return
      signalledAt = performance.now()
      if (stopping) return void leave(1, shortFlushMs)
      log.info({ signal }, 'stopping')
      void stop(0)
    })
  }
  void storeLost.then(async reason => {
    log.error(`${reason} Nothing can be saved, so the gateway ends.`)
    await sleep(lostMs)
    await leave(1, flushMs)
  })
  // Handles SIGUSR1, because by default Node would open a debugger port for every user of this machine.
  process.on('SIGUSR1', () => log.warn('SIGUSR1 is ignored: start with `--inspect` to debug'))
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.fatal({ err: error, event }, 'unhandled error')
      if (!stopping) void stop(1)
    })
  }
}
