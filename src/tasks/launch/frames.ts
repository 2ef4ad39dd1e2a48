/** Cuts a stream of bytes into lines; a line past `longestBytes` is refused before it is put together. */
export class FrameReader {
  readonly #longestBytes: number
  readonly #onLine: (line: string) => void
  readonly #onTooLong: () => void
  #parts: Buffer[] = []
  #bytes = 0

  constructor(longestBytes: number, onLine: (line: string) => void, onTooLong: () => void) {
    this.#longestBytes = longestBytes
    this.#onLine = onLine
    this.#onTooLong = onTooLong
  }

  /** What there is of a line, null where it is too long; either way the next line begins. */
  #take(): Buffer[] | null {
    const parts = this.#bytes > this.#longestBytes ? null : this.#parts
    this.#parts = []
    this.#bytes = 0
    return parts
  }

  push(chunk: Buffer): void {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#parts.push(chunk.subarray(from, at))
      this.#bytes += at - from
      const parts = this.#take()
      if (parts === null) return this.#onTooLong()
      this.#onLine((parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)).toString('utf8'))
      from = at + 1
    }
    if (from === chunk.length) return
    this.#parts.push(chunk.subarray(from))
    this.#bytes += chunk.length - from
    if (this.#bytes > this.#longestBytes) {
      this.#take()
      this.#onTooLong()
    }
  }
}
