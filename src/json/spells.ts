const backslash = 0x5c
const letterU = 0x75

/** True if the bytes of a JSON string from `start` to `end`, with escapes, spell an ASCII word. */
export function spells(
  bytes: Uint8Array,
  { start, end }: { start: number; end: number },
  word: string,
): boolean {
  let at = start
  for (let index = 0; index < word.length; index++) {
    let code = bytes[at]
    if (code === backslash) {
      if (bytes[at + 1] !== letterU) return false
      code = readHex(bytes, at + 2)
      at += 5
    }
    if (code !== word.charCodeAt(index)) return false
    at++
  }
  return at === end
}

function readHex(bytes: Uint8Array, start: number): number {
  let code = 0
  for (let at = start; at < start + 4; at++) {
    const byte = bytes[at] ?? 0
    // Converts a hexadecimal letter in either case: its low four bits are its value minus nine.
    code = 16 * code + (byte <= 0x39 ? byte - 0x30 : (byte & 0x0f) + 9)
  }
  return code
}
