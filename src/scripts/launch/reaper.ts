import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

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

/**
 * A process that kills the sandboxes when the gateway has died, on systems where the kernel does not: a sandbox reads
 * nothing while its script computes, so it would not see that it is alone.
 */
export class Reaper {
  #process: ChildProcess | null = null

  /** Sets the sandboxes to kill, each with its process group. */
  watch(pids: readonly number[]): void {
    this.#process ??= this.#start()
    this.#process.stdin?.write(`${pids.join(' ')}\n`)
  }

  /** Kills the sandboxes of the last `watch`. Without one it does nothing. */
  close(): void {
    this.#process?.stdin?.end()
  }

  #start(): ChildProcess {
    // Detached, so that Ctrl-C does not end it before the gateway.
    const child = spawn(process.execPath, ['-e', killLastPids], {
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
