const firstBytes = 64 * 1024
// From this length on, the UTF-8 of a text may need a length of two bytes.
const shortCharacters = 42

/** Writes the fields of a protobuf message into one buffer, which grows and is used again for the next message. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(firstBytes)
  #length = 0

  /** The number of bytes written so far. */
  get length(): number {
    return this.#length
  }

  /** Forgets what was written. */
  clear(): void {
    this.#length = 0
  }

  /** Returns a copy of the bytes from `start` on. */
  copyFrom(start: number): Buffer {
    return Buffer.from(this.#bytes.subarray(start, this.#length))
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  /** A whole number from 0 to 2^53. */
  varint(value: number): void {
    this.#reserve(8)
    let rest = value
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) | 128
    this.#bytes[this.#length++] = rest
  }

  double(value: number): void {
    this.#reserve(8)
    this.#length = this.#bytes.writeDoubleLE(value, this.#length)
  }

  /** A whole number from 0 to 2^32 - 1. */
  fixed32(value: number): void {
    this.#reserve(4)
    const [bytes, at] = [this.#bytes, this.#length]
    // Much faster than `writeUInt32LE`.
    bytes[at] = value
    bytes[at + 1] = value >>> 8
    bytes[at + 2] = value >>> 16
    bytes[at + 3] = value >>> 24
    this.#length = at + 4
  }

  /** A time as nanoseconds since 1970, which no number of JavaScript holds exactly. */
  time(seconds: number, nanoseconds: number): void {
    const [upper, lower] = [Math.floor(seconds / 65_536) * 1e9, (seconds % 65_536) * 1e9]
    const low = (lower % 2 ** 32) + (upper % 65_536) * 65_536 + nanoseconds
    const high = Math.floor(lower / 2 ** 32) + Math.floor(upper / 65_536) + Math.floor(low / 2 ** 32)
    this.fixed32(low % 2 ** 32)
    this.fixed32(high)
  }

  copy(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** The bytes of an id in lower-case hexadecimal digits, after their number. */
  hex(digits: string): void {
    const size = digits.length / 2
    this.#reserve(size + 1)
    const [bytes, start] = [this.#bytes, this.#length + 1]
    bytes[start - 1] = size
    for (let at = 0; at < size; at += 1) {
      bytes[start + at] =
        (digitValue(digits.charCodeAt(2 * at)) << 4) | digitValue(digits.charCodeAt(2 * at + 1))
    }
    this.#length = start + size
  }

  /** A text as UTF-8, after its length in bytes. */
  text(value: string): void {
    if (value.length > shortCharacters) this.varint(Buffer.byteLength(value))
    this.#reserve(value.length * 3 + 1)
    const start = value.length > shortCharacters ? this.#length : this.#length + 1
    const size = this.#bytes.write(value, start)
    if (start > this.#length) this.#bytes[this.#length] = size
    this.#length = start + size
  }

  /** Begins a message inside the message. Give its result to `end`. */
  begin(): number {
    this.#reserve(2)
    this.#length += 2
    return this.#length
  }

  /** Ends the message that began at `start`, and writes its length before it. */
  end(start: number): void {
    const size = this.#length - start
    if (size > 127 && size < 16_384) {
      this.#bytes[start - 2] = (size % 128) | 128
      this.#bytes[start - 1] = size >> 7
      return
    }
    // The length needs another number of bytes than the two that were left for it.
    const content = this.copyFrom(start)
    this.#length = start - 2
    this.varint(size)
    this.copy(content)
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + size))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}

// The digits from 0 to 9 have the codes 48 to 57, those from a to f the codes 97 to 102.
function digitValue(digit: number): number {
  return digit < 58 ? digit - 48 : digit - 87
}
