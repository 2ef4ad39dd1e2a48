/** Splits a stream of bytes into lines. A line over `maxBytes` is refused before it is assembled. */
export class FrameReader {
  readonly #maxBytes: number
  readonly #onLine: (line: string) => void
  readonly #onTooLong: () => void
  #parts: Buffer[] = []
  #bytes = 0

  constructor(maxBytes: number, onLine: (line: string) => void, onTooLong: () => void) {
    this.#maxBytes = maxBytes
    this.#onLine = onLine
    this.#onTooLong = onTooLong
  }

  /** Returns the parts of the current line, or null if it is too long. Then begins the next line. */
  #take(): Buffer[] | null {
    const parts = this.#bytes > this.#maxBytes ? null : this.#parts
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
    if (this.#bytes > this.#maxBytes) {
      this.#take()
      this.#onTooLong()
    }
  }
}
