import type { Logger } from 'pino'
import type { App } from '../app.ts'
import type { SystemLog } from './system-log.ts'

const flushMs = 2_000
const hurriedFlushMs = 200
// A terminal and `kill -- -<group>` signal npm as well, which passes it on: one signal arrives twice within milliseconds.
const sameSignalMs = 500

interface Stopping {
  readonly app: App
  readonly log: Logger
  readonly flush: SystemLog['flush']
}

/**
 * Stops in order on SIGTERM and SIGINT (exit code 0) and when an error reached nobody (exit code 1). A second signal, half
 * a second later or more, ends the process at once; its children see their channel close and end by themselves.
 */
export function stopOnSignals({ app, log, flush }: Stopping): void {
  let stopping = false
  let signalledAt = Number.NEGATIVE_INFINITY

  async function stop(exitCode: number): Promise<void> {
    stopping = true
    let code = exitCode
    try {
      await app.close()
    } catch (error) {
      log.fatal({ err: error }, 'could not stop in order')
      code = 1
    }
    await leave(code, flushMs)
  }

  // To exit, Node waits for what it writes: for ever, where nobody reads.
  async function leave(exitCode: number, withinMs: number): Promise<void> {
    if (!(await flush(withinMs))) process.kill(process.pid, 'SIGKILL')
    process.exit(exitCode)
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (performance.now() - signalledAt < sameSignalMs) return
      signalledAt = performance.now()
      if (stopping) return void leave(1, hurriedFlushMs)
      log.info({ signal }, 'stopping')
      void stop(0)
    })
  }
  // Node's own answer is a debugger's port, open to everybody on this machine.
  process.on('SIGUSR1', () => log.warn('SIGUSR1 is ignored: start with `--inspect` to debug'))
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.fatal({ err: error, event }, 'an error reached nobody')
      if (!stopping) void stop(1)
    })
  }
}
