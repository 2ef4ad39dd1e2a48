import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

const file = fileURLToPath(new URL('./reaper-process.ts', import.meta.url))

/**
 * A process that kills the sandboxes when the gateway has died, on systems where the kernel does not: a sandbox reads
 * nothing while its script computes, so it would not see that it is alone.
 */
export class Reaper {
  #process: ChildProcess | null = null

  /** Sets the sandboxes to kill. */
  watch(pids: readonly number[]): void {
    this.#process ??= this.#start()
    this.#process.stdin?.write(`${pids.join(' ')}\n`)
  }

  close(): void {
    this.#process?.stdin?.end()
  }

  #start(): ChildProcess {
    // Detached, so that Ctrl-C does not end it before the gateway.
    const child = spawn(process.execPath, [file], {
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    const onGone = () => {
      if (this.#process === child) this.#process = null
    }
    child.on('error', onGone)
    child.on('exit', onGone)
    child.stdin?.on('error', () => undefined)
    // Neither keeps the gateway from ending.
    child.unref()
    const input = child.stdin as Socket
    input.unref()
    return child
  }
}
