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
const retryMs = 500

/**
 * A process that kills the sandboxes when the gateway has died, on systems where the kernel does not: a sandbox reads
 * nothing while its script computes, so it would not see that it is alone.
 */
export class Reaper {
  #process: Child | null = null
  #pids: readonly number[] = []
  #retry: NodeJS.Timeout | null = null
  #hasFailed = false
  readonly #onFailure: (reason: string) => void

  /** `onFailure` is called when the process does not start, once until it has started. */
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
    this.#hasFailed = false
    child.on('exit', () => {
      this.#process = null
      this.#planRetry()
    })
    child.stdin?.on('error', () => undefined)
    // Neither keeps the gateway from ending.
    child.unref()
    const input = child.stdin as Socket
    input.unref()
    return child
  }

  #fail({ message }: Error): void {
    if (!this.#hasFailed) this.#onFailure(message)
    this.#hasFailed = true
    this.#planRetry()
  }

  // Sandboxes that no reaper watches would outlive the gateway.
  #planRetry(): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = null
      if (this.#process === null) this.watch(this.#pids)
    }, retryMs).unref()
  }
}
