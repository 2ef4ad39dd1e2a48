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

  push(chunk: Buffer): void {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#parts.push(chunk.subarray(from, at))
      const line = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts)
      this.#parts = []
      this.#bytes = 0
      this.#onLine(line.toString('utf8'))
      from = at + 1
    }
    if (from === chunk.length) return
    this.#parts.push(chunk.subarray(from))
    this.#bytes += chunk.length - from
    if (this.#bytes > this.#longestBytes) {
      this.#parts = []
      this.#bytes = 0
      this.#onTooLong()
    }
  }
}
