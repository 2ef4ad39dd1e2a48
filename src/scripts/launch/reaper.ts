import type { Socket } from 'node:net'
import { type Child, startChild } from './start-child.ts'

// Each line of its input has the pids of all sandboxes. The kernel ends the input, however the gateway dies. It needs
// no tool of the system but Node.
const killLastPids = `
  let text = ''
  process.stdin.setEncoding('utf8').on('data', chunk => {
    text = (text + chunk).split('\\n').slice(-2).join('\\n')
  }).on('end', () => {
    for (const pid of text.split('\\n')[0].split(' ').filter(Boolean)) {
      try { process.kill(-pid, 'SIGKILL') } catch {}
    }
  })`
// The pause before another start doubles with each failure in a row.
const firstPauseMs = 500
const longestPauseMs = 60_000
// A failure after this time counts as the first in a row.
const steadyMs = 60_000

/**
 * A process that kills the sandboxes when the gateway has died, on systems where the kernel does not: a sandbox reads
 * nothing while its script computes, so it would not see that it is alone.
 */
export class Reaper {
  #process: Child | null = null
  #pids: readonly number[] = []
  #retry: NodeJS.Timeout | null = null
  #failures = 0
  readonly #onFailure: (reason: string) => void

  /** `onFailure` is called when the process does not start or has ended, for the first failure in a row. */
  constructor(onFailure: (reason: string) => void) {
    this.#onFailure = onFailure
  }

  /** Sets the sandboxes to kill, each with its process group. */
  watch(pids: readonly number[]): void {
    this.#pids = pids
    if (pids.length > 0) this.#process ??= this.#start()
    this.#process?.stdin?.write(`${pids.join(' ')}\n`)
  }

  /** Kills the sandboxes of the last `watch`. Without one it does nothing. */
  close(): void {
    this.#pids = []
    this.#process?.stdin?.end()
  }

  #start(): Child | null {
    const child = startChild(
      {
        file: process.execPath,
        args: ['-e', killLastPids],
        env: {},
        stdio: ['pipe', 'ignore', 'ignore'],
      },
      error => this.#fail(error),
    )
    if (child === null) return null
    const startedAt = performance.now()
    child.on('exit', (code, signal) => {
      this.#process = null
      if (performance.now() - startedAt > steadyMs) this.#failures = 0
      if (this.#pids.length > 0) this.#fail(new Error(`ended with ${signal ?? `code ${code}`}`))
    })
    child.stdin?.on('error', () => undefined)
    // Neither keeps the gateway from ending.
    child.unref()
    const input = child.stdin as Socket
    input.unref()
    return child
  }

  #fail({ message }: Error): void {
    if (this.#failures === 0) this.#onFailure(message)
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** this.#failures)
    this.#failures += 1
    if (this.#retry !== null) return
    // Sandboxes that no reaper watches would outlive the gateway.
    this.#retry = setTimeout(() => {
      this.#retry = null
      if (this.#process === null) this.watch(this.#pids)
    }, pauseMs).unref()
  }
}
