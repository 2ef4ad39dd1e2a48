import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'

// The last line that it reads names what runs. It kills that once the pipe is closed, which happens however the writer
// ends, a SIGKILL included.
const reap = 'while read -r line; do running=$line; done; [ -z "$running" ] || kill -s KILL -- $running'

const running = new Set<number>()
let reaper: Writable | undefined

/**
 * Kills a process when this one has ended, however it ends. A process that was spawned `detached` is killed with its
 * whole group.
 */
export function endWithParent(child: ChildProcess, { isDetached = false } = {}): void {
  if (child.pid === undefined) return
  const id = isDetached ? -child.pid : child.pid
  running.add(id)
  report()
  child.once('exit', () => {
    // Others of a group may outlive its first process.
    if (!isRunning(id)) running.delete(id)
    report()
  })
}

function report(): void {
  reaper ??= startReaper()
  reaper.write(`${[...running].join(' ')}\n`)
}

function startReaper(): Writable {
  // In a group of its own, so that Ctrl-C does not end it with the tests.
  const child = spawn('sh', ['-c', reap], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  // Neither keeps this process from ending.
  child.unref()
  const pipe = child.stdin as Socket
  return pipe.unref()
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}
