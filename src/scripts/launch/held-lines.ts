import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmdirSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const mkfifoMs = 2_000
// The capacity of a pipe on Linux. A sandbox holds less.
const scratch = Buffer.alloc(64 * 1024)

const readsAndWrites = constants.O_RDWR | constants.O_NONBLOCK

/**
 * Opens the pipe once more while `start` starts its sandbox; passes null without a pipe, and if this system cannot.
 * Processes that share one opened file share its flags too: a compromised sandbox could make the gateway's reads block.
 */
export function openForSandbox<T>(pipe: number | null, start: (own: number | null) => T): T {
  const own = pipe === null ? null : openAgain(pipe)
  try {
    return start(own)
  } finally {
    if (own !== null) closeSync(own)
  }
}

function openAgain(pipe: number): number | null {
  try {
    return openSync(`/proc/self/fd/${pipe}`, readsAndWrites)
  } catch {
    return null
  }
}

/**
 * Pipes in which sandboxes leave the lines that they have not sent yet. Nobody waits for such a pipe, so a line in it
 * wakes no process. The kernel keeps it when the sandbox dies, and the gateway reads it then. No two sandboxes get the
 * same pipe: a process of a compromised one may outlive it, and could still read and write it.
 */
export class HeldLines {
  readonly #free: number[]
  readonly #taken = new Set<number>()
  // Number of pipes to open when none is left; 0 if this system could not open the first ones, and after the close.
  #count: number

  /** Opens `count` pipes at a time. Opens none if this system cannot; sandboxes then send every line at once. */
  constructor(count: number) {
    this.#free = openPipes(count)
    this.#count = this.#free.length
  }

  /** Returns the descriptor of a new pipe for one sandbox; null if none can be opened. */
  take(): number | null {
    if (this.#free.length === 0 && this.#count > 0) this.#free.push(...openPipes(this.#count))
    const pipe = this.#free.pop() ?? null
    if (pipe !== null) this.#taken.add(pipe)
    return pipe
  }

  /** Closes the pipe when its sandbox is gone. */
  release(pipe: number): void {
    if (this.#taken.delete(pipe)) closeSync(pipe)
  }

  close(): void {
    this.#count = 0
    for (const pipe of this.#free.splice(0)) closeSync(pipe)
  }
}

/**
 * The held lines of one sandbox. Most come twice, in its pipe and later in its output, so it numbers all its lines.
 * Each is delivered once, and in the order of the numbers.
 */
export class HeldReader {
  /** The pipe; null if the sandbox sends every line at once. */
  readonly pipe: number | null
  #received = 0
  #taken = 0
  // Read from the pipe, but not delivered: the output has lines that come before them.
  #early: HeldLine[] = []

  constructor(pipe: number | null) {
    this.pipe = pipe
  }

  /** Counts a line of the output. Returns false if it was taken from the pipe before. */
  receive(): boolean {
    this.#received++
    return this.#received > this.#taken
  }

  /** Takes the next lines from the pipe, as far as they follow those that were delivered. */
  take(): string[] {
    this.#read()
    const gap = this.#early.findIndex(({ number }, i) => number !== this.#delivered + 1 + i)
    return this.#deliver(gap < 0 ? this.#early.length : gap)
  }

  /** Takes all lines that were not delivered. Call it when the sandbox is dead, so that its output ends. */
  takeAll(): string[] {
    this.#read()
    return this.#deliver(this.#early.length)
  }

  get #delivered(): number {
    return Math.max(this.#received, this.#taken)
  }

  #read(): void {
    if (this.pipe === null) return
    const lines = [...this.#early, ...readPipe(this.pipe)].filter(({ number }) => number > this.#delivered)
    // A sandbox holds less than its pipe takes. Only a compromised one numbers its lines far ahead.
    this.#early = lines.reduce((sum, { text }) => sum + text.length, 0) > scratch.length ? [] : lines
  }

  #deliver(count: number): string[] {
    const lines = this.#early.splice(0, count)
    this.#taken = lines.at(-1)?.number ?? this.#taken
    return lines.map(({ text }) => text)
  }
}

interface HeldLine {
  readonly number: number
  readonly text: string
}

// Reads and removes the lines in a pipe.
function readPipe(pipe: number): HeldLine[] {
  try {
    const size = readSync(pipe, scratch, 0, scratch.length, null)
    const lines = scratch.toString('utf8', 0, size).split('\n').slice(0, -1)
    return lines.flatMap(line => {
      // A text may have U+2028, which a dot matches only with the flag.
      const [, number, text] = /^(\d+) (.*)$/s.exec(line) ?? []
      return text === undefined ? [] : [{ number: Number(number), text }]
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
  let paths: readonly string[] = []
  let folder: string | null = null
  try {
    folder = mkdtempSync(join(tmpdir(), 'rostrum-'))
    paths = Array.from({ length: count }, (_, n) => join(`${folder}`, String(n)))
    const { status } = spawnSync('mkfifo', ['-m', '600', ...paths], {
      env: { PATH: process.env.PATH ?? '' },
      stdio: 'ignore',
      timeout: mkfifoMs,
    })
    if (status !== 0) return []
    for (const path of paths) opened.push(openSync(path, readsAndWrites))
    return opened
  } catch {
    for (const pipe of opened) closeSync(pipe)
    return []
  } finally {
    if (folder !== null) removeNames(folder, paths)
  }
}

// To remove the whole folder at once would need a descriptor, and none may be left. A name that stays does no harm.
function removeNames(folder: string, paths: readonly string[]): void {
  for (const path of paths) attempt(() => unlinkSync(path))
  attempt(() => rmdirSync(folder))
}

function attempt(remove: () => void): void {
  try {
    remove()
  } catch {
    // It is not there, or cannot be removed.
  }
}
