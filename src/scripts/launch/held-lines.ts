import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const mkfifoMs = 2_000
// The capacity of a pipe on Linux. A sandbox holds less.
const scratch = Buffer.alloc(64 * 1024)

/**
 * Pipes in which sandboxes leave the lines that they have not sent yet. Nobody waits for such a pipe, so a line in it
 * wakes no process. The kernel keeps it when the sandbox dies, and the gateway reads it then.
 */
export class HeldLines {
  readonly #free: number[]
  readonly #taken = new Set<number>()
  #isClosed = false

  /** Opens `count` pipes. Opens none if this system cannot; sandboxes then send every line at once. */
  constructor(count: number) {
    this.#free = openPipes(count)
  }

  /** Returns the descriptor of an empty pipe for one sandbox; null if none is left. */
  take(): number | null {
    const pipe = this.#free.pop() ?? null
    if (pipe !== null) this.#taken.add(pipe)
    return pipe
  }

  /** Takes the pipe back when its sandbox is gone. */
  release(pipe: number): void {
    if (!this.#taken.delete(pipe)) return
    if (this.#isClosed) return closeSync(pipe)
    readHeld(pipe)
    this.#free.push(pipe)
  }

  close(): void {
    this.#isClosed = true
    for (const pipe of this.#free.splice(0)) closeSync(pipe)
  }
}

/**
 * Reads and removes the lines that a sandbox has left in its pipe. Each has its number among those that the sandbox has
 * held. Leaves out the first `received`, which it has sent too.
 */
export function readHeld(pipe: number, received = 0): string[] {
  try {
    const size = readSync(pipe, scratch, 0, scratch.length, null)
    const lines = scratch.toString('utf8', 0, size).split('\n').slice(0, -1)
    return lines.flatMap(line => {
      const [, number, text] = /^(\d+) (.*)$/.exec(line) ?? []
      return text === undefined || Number(number) <= received ? [] : [text]
    })
  } catch {
    // The pipe is empty.
    return []
  }
}

// A pipe with a name is the only one that Node can open without reading from it all the time. The names are removed at
// once.
function openPipes(count: number): number[] {
  const opened: number[] = []
  let folder: string | null = null
  try {
    folder = mkdtempSync(join(tmpdir(), 'rostrum-'))
    const paths = Array.from({ length: count }, (_, n) => join(`${folder}`, String(n)))
    const { status } = spawnSync('mkfifo', ['-m', '600', ...paths], {
      env: { PATH: process.env.PATH ?? '' },
      stdio: 'ignore',
      timeout: mkfifoMs,
    })
    if (status !== 0) return []
    for (const path of paths) opened.push(openSync(path, constants.O_RDWR | constants.O_NONBLOCK))
    return opened
  } catch {
    for (const pipe of opened) closeSync(pipe)
    return []
  } finally {
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }
}
