import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

// Duration of a clock tick of the kernel: 10 ms on every Linux.
const msOfTick = 10
const noteEveryMs = 20
const bytesOfPage = pageSize()
const text = Buffer.alloc(128)

/** Reads the resident memory of a process. Its file stays open, because each run reads it many times. */
export class ResidentMemory {
  #file: number | null
  #atRest: number | null = null
  #notedAt = 0

  constructor(pid: number | undefined) {
    this.#file = openOrNull(`/proc/${pid}/statm`)
  }

  /** Returns the bytes; null if the system has no /proc or the process is gone. */
  read(): number | null {
    if (this.#file === null) return null
    try {
      const size = readSync(this.#file, text, 0, text.length, 0)
      return Number(text.toString('latin1', 0, size).split(' ', 2)[1]) * bytesOfPage
    } catch {
      return null
    }
  }

  /** The bytes when the process was last at rest; null if unknown. */
  get atRest(): number | null {
    return this.#atRest
  }

  /**
   * Call it whenever the process is at rest. If its next run waits already, it reads once in 20 ms: to read after each
   * run would take a fiftieth of the gateway's time.
   */
  noteRest(isIdle: boolean, now = performance.now()): void {
    if (!isIdle && now - this.#notedAt < noteEveryMs) return
    this.#notedAt = now
    this.#atRest = this.read()
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }
}

function openOrNull(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}

// Reads the page size from the auxiliary vector, which consists of pairs of numbers. Key 6 is the page size.
function pageSize(): number {
  try {
    const pairs = new BigUint64Array(Uint8Array.from(readFileSync('/proc/self/auxv')).buffer)
    const at = pairs.findIndex((kind, i) => i % 2 === 0 && kind === 6n)
    return Number(pairs[at + 1])
  } catch {
    return 4_096
  }
}

/** Returns the processor time of a process so far, in ms; null if the system has no /proc or the process is gone. */
export function processorMsOf(pid: number | undefined): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The fields begin after the process name, which may contain anything, even a parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * msOfTick
  } catch {
    return null
  }
}
